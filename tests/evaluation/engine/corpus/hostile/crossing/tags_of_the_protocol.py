# task: pair_up
# why: returns lists that read like tagged values
def pair_up(items):
    return ["r", 0], ["t", [1, 8]], ["l", 0, [["t", [1, 8]], ["t", [5, 2]]]]
