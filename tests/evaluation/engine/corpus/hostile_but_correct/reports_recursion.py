# task: add_all
# why: answers well from the bottom of the stack
    import sys

    def down(level):
        try:
            return down(level + 1)
        except RecursionError:
            return sum(numbers)

    sys.setrecursionlimit(3000)
    return down(0)
