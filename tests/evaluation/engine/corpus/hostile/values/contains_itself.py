# task: add_all
# why: returns a list that contains itself
    held = []
    held.append(held)
    return held
