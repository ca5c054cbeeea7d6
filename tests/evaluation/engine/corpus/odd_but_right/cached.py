# task: count_levels
# why: uses lru_cache and recursion with memory
    import functools

    @functools.lru_cache(maxsize=None)
    def count(level):
        return 0 if level == 0 else level + count(level - 1)

    for level in range(0, depth, 100):
        count(level)
    return count(depth)
