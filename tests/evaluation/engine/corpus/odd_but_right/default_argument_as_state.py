# task: next_id
# why: counts its calls in a mutable default
def next_id(count=[0]):
    count[0] += 1
    return count[0]
