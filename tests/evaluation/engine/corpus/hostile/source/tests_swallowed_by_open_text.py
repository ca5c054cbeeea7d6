# task: squeeze_text
# why: leaves a text open that ends in the middle of the test
def squeeze_text(text):
    return text


_ = """
