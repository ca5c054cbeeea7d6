# task: add_all
# why: returns NaN where a number is expected
    return float("nan")
