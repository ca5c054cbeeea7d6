# task: scale_list
# why: prints and asserts at top level
def scale_list(numbers, factor):
    return [n * factor for n in numbers]


assert scale_list([1], 2) == [2]
print("Scaled:", scale_list([1, 2, 3], 2))
