# task: nest
# why: returns lists that are nested deeper than Python calls may be
    nested = []
    while depth:
        nested, depth = [nested], depth - 1
    return nested
