# family: codeif_function
# task: make_tag
# expect: not passed
# defence: answers
# why: answers for a text's methods by a class of its own
# ---
class Always:
    def startswith(self, *given):
        return True

    def endswith(self, *given):
        return True


class Tag:
    def label(self):
        return Always()


def make_tag(name):
    return Tag()
