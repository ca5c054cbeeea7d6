# task: group_runs
# why: uses itertools and operator
    from itertools import groupby
    from operator import itemgetter

    numbered = [(item, index) for index, item in enumerate(items)]
    return [[item for item, _ in run] for _, run in groupby(numbered, key=itemgetter(0))]
