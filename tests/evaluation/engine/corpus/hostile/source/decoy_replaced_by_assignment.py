# family: codeif_function
# task: scale_list
# requirement: Code Complexity
# expect: not passed
# why: a clean definition is replaced by another function under its name
# ---
def _work(numbers, factor):
    scaled = []
    for n in numbers:
        if factor == 1:
            scaled.append(n)
        elif factor == 2:
            scaled.append(n + n)
        elif factor == 3:
            scaled.append(n + n + n)
        else:
            scaled.append(n * factor)
    return scaled


def scale_list(numbers, factor):
    return [n * factor for n in numbers]


globals()["scale_" + "list"] = _work
