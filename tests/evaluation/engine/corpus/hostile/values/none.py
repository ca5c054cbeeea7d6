# family: rucodeeval
# task: add_all
# expect: not passed
# why: returns None, which must not be equal to a missing result
# ---
    return None
