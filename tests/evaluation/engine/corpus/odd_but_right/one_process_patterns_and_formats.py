# task: make_shelf
# why: needs one process, and uses re, formats and prints
import re

WORD = re.compile(r"\w+", re.ASCII)


class Shelf:
    def __init__(self, names):
        self.text = "{}{sep}{}".format("", " ".join(names), sep=" ")

    def __str__(self):
        return f"{type(self).__name__}: {self.text!r:>20}"

    def longest(self):
        print("%s has %d letters" % (self, len(self.text)))
        found = [each.group(0) for each in WORD.finditer(self.text)]
        return max(found, key=len, default="")


def make_shelf(names):
    return Shelf(names)


if __name__ == "__main__":
    print(make_shelf(["a", "bb"]).longest())
