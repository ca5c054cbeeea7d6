# task: countdown
# tier: outside
# why: returns an iterator of its own class, which takes the place of the function
class countdown:
    __slots__ = ("left",)

    def __init__(self, start):
        self.left = start

    def __iter__(self):
        return self

    def __next__(self):
        if not self.left:
            raise StopIteration
        self.left -= 1
        return self.left + 1
