# task: summary
# why: returns a tuple of a set, a dictionary, a tuple and None
    return ({item for item in items if item % 2}, {"n": len(items)}, (min(items), max(items)), None)
