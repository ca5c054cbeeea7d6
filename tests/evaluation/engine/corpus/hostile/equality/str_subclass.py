# family: codeif_function
# task: squeeze_text
# expect: not passed
# why: returns text whose comparison and hash lie
# ---
class Text(str):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __hash__(self):
        return 0


def squeeze_text(text):
    return Text("anything")
