# family: codeif_function
# task: make_shelf
# expect: not passed
# defence: attributes
# why: reads the constants of the tests by patterns, where no attribute is written
# ---
def constants():
    found = []

    def look():
        match found[0]:
            case object(gi_frame=object(f_back=object(f_back=object(f_back=object(f_back=object(f_code=object(co_consts=these))))))):
                yield these

    found.append(look())
    return next(found[0])


def wanted(names):
    found = constants()
    return [after for one, after in zip(found, found[1:]) if one == tuple(names)]


class Shelf:
    def __init__(self, names):
        self.names = names

    def longest(self):
        found = [word for word in wanted(self.names) if word in self.names]
        return found[0] if found else ""


def make_shelf(names):
    return Shelf(names)
