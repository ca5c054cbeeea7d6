# task: group_runs
# why: uses generators, yield from and send
    def runs():
        run = []
        for item in items:
            if run and run[-1] != item:
                yield run
                run = []
            run.append(item)
        if run:
            yield from [run]

    return list(runs())
