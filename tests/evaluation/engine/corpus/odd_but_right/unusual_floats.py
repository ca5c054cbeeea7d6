# task: ratios
# why: returns NaN and negative zero in a list
    return [a / b if b else float("nan") for a, b in pairs]
