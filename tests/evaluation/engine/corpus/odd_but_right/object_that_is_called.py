# task: next_id
# tier: outside
# why: is an object with __call__ and __slots__
class Numbers:
    __slots__ = ("last",)

    def __init__(self):
        self.last = 0

    def __call__(self):
        self.last += 1
        return self.last


next_id = Numbers()
