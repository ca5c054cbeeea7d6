# task: make_shelf
# why: changes its own objects by methods, a property and a method of the class
class Shelf:
    LIMIT = 100

    def __init__(self):
        self.names = []
        self.size = 0

    @classmethod
    def of(cls, names):
        made = cls()
        for name in names[: cls.LIMIT]:
            made.put(name)
        return made

    def put(self, name):
        self.names.append(name)
        self.size += 1

    @property
    def top(self):
        return self.names[-1]

    @top.setter
    def top(self, name):
        self.names[-1] = name
        self.size = len(self.names)

    def longest(self):
        return max(self.names, key=len, default="")


class LabelledShelf(Shelf):
    def put(self, name):
        super().put(name)
        self.label = f"{self.size} names"


def make_shelf(names: list) -> Shelf:
    return LabelledShelf.of(names)
