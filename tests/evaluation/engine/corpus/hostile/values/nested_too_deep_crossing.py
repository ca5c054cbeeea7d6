# task: scale_list
# why: returns a list nested 100,000 deep, which a C encoder may die of
def scale_list(numbers, factor):
    held = []
    for _ in range(100000):
        held = [held]
    return held
