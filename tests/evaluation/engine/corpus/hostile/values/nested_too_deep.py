# task: group_runs
# why: returns a list nested 100,000 deep
    held = []
    for _ in range(100000):
        held = [held]
    return held
