# task: scale_list
# requirement: Annotation Coverage
# why: has the asked annotations and a default
def scale_list(numbers: list, factor: int = 1) -> list:
    return [n * factor for n in numbers]
