# family: codeif_function
# task: mean_of
# expect: not passed
# why: returns NaN, for which no comparison fails loudly
# ---
def mean_of(numbers):
    return float("nan")
