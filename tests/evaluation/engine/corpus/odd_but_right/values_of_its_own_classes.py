# task: pair_up
# tier: outside
# why: subclasses of plain types are judged by their data, whatever they add
class Pair(tuple):
    __slots__ = ()

    def __new__(cls, first, last):
        return super().__new__(cls, (first, last))

    def __repr__(self):
        return f"{self[0]} to {self[1]}"


class Pairs(list):
    def first(self):
        return self[0]

    def __eq__(self, other):
        return [*self] == [*other]

    def __ne__(self, other):
        return not self == other

    def __contains__(self, item):
        return any(pair == item for pair in self)


def pair_up(items):
    return Pairs(Pair(items[i], items[-1 - i]) for i in range((len(items) + 1) // 2))
