# task: squeeze_text
# why: ends in a comment with a backslash
def squeeze_text(text):
    return text


# \
