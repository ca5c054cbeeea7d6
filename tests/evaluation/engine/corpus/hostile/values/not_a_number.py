# family: rucodeeval
# task: add_all
# expect: not passed
# why: returns NaN where a number is expected
# ---
    return float("nan")
