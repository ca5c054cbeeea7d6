# family: codeif_function
# task: mean_of
# expect: not passed
# why: returns infinity, whose difference to itself is NaN
# ---
def mean_of(numbers):
    return float("inf")
