# task: scale_list
# why: returns a list of its own kind that compares rightly
class Careful(list):
    def __eq__(self, other):
        return list(self) == other


def scale_list(numbers, factor):
    return Careful(n * factor for n in numbers)
