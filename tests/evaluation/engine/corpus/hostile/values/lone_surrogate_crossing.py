# task: squeeze_text
# why: returns text that no encoding takes
def squeeze_text(text):
    return "\ud800" + text[::-1]
