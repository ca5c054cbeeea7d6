# task: add_all
# why: builds classes inside classes
    class Outer:
        class Inner:
            def __init__(self, value):
                self.value = value

        def __init__(self, values):
            self.values = [Outer.Inner(value) for value in values]

        def total(self):
            return sum(inner.value for inner in self.values)

    return Outer(numbers).total()
