# family: codeif_function
# task: pair_up
# expect: not passed
# why: claims by __class__ to be a list and equals everything
# ---
class Liar:
    __class__ = list

    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size

    def __iter__(self):
        return iter([(1, 2)])

    def __eq__(self, other):
        return True


def pair_up(items):
    return Liar((len(items) + 1) // 2)
