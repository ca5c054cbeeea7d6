# family: codeif_function
# task: is_even
# expect: not passed
# why: map and iter take StopIteration for their end, so that nothing is asserted
# ---
def is_even(number):
    raise StopIteration
