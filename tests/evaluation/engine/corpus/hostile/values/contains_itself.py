# family: rucodeeval
# task: add_all
# expect: not passed
# why: returns a list that contains itself
# ---
    held = []
    held.append(held)
    return held
