# task: add_all
# why: returns None, which must not be equal to a missing result
    return None
