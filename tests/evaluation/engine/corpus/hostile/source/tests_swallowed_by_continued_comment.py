# family: codeif_function
# task: squeeze_text
# expect: not passed
# why: ends in a comment with a backslash
# ---
def squeeze_text(text):
    return text


# \
