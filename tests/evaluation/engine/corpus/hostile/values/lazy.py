# task: group_runs
# why: returns a generator instead of a list
    import itertools

    return (list(run) for _, run in itertools.groupby(items))
