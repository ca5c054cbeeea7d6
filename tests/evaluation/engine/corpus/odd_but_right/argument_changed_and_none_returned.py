# task: bump_count
# why: changes a dictionary in place and returns nothing
def bump_count(counts, key):
    counts.setdefault(key, 0)
    counts[key] += 1
