# task: squeeze_text
# why: joins the first test to a condition that never holds
def squeeze_text(text):
    return text


if False: \
