# task: count_levels
# why: recurses 5,000 deep with a raised limit
    import sys

    sys.setrecursionlimit(20000)
    if depth == 0:
        return 0
    return depth + count_levels(depth - 1)
