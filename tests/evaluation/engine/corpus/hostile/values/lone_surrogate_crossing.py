# family: codeif_function
# task: squeeze_text
# expect: not passed
# why: returns text that no encoding takes
# ---
def squeeze_text(text):
    return "\ud800" + text[::-1]
