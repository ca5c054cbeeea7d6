# task: countdown
# tier: outside
# why: returns the keys of a dict
def countdown(start):
    return dict.fromkeys(range(start, 0, -1)).keys()
