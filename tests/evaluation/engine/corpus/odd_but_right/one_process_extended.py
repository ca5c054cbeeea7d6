# task: make_tag
# requirement: Functionality Extension
# tier: shared
# why: needs one process; the reference lacks what its tests use
class Tag:
    def __init__(self, name, mark):
        self.name, self.mark = name, mark

    def label(self):
        return f"{self.mark}{self.name}>"


def make_tag(name, mark="<"):
    return Tag(name, mark)
