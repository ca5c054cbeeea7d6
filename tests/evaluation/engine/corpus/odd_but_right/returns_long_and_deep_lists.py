# task: grow
# tier: outside
# why: returns a list of a million numbers, and one of 700 levels
def grow(items, depth, count):
    items += list(range(count))
    return grow([items], depth - 1, 0) if depth else items
