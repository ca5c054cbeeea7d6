# task: make_parcel
# requirement: Functionality Extension
# tier: shared
# why: the tests change a list in an attribute, as those of the reference do
class Parcel:
    def __init__(self, names):
        self.names = [*names]

    size = property(lambda self: len(self.names))
    letters = property(lambda self: len("".join(self.names)))


def make_parcel(names):
    return Parcel(names)
