# task: squeeze_text
# why: joins the first test to a function that is never called
def squeeze_text(text):
    return text


def _(): \
