# task: scale_list
# why: returns a value that grows without bound when copied
def scale_list(numbers, factor):
    held = [7]
    for _ in range(26):
        held = [held, held]
    return held
