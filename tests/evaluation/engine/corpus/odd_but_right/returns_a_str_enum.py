# task: squeeze_text
# tier: outside
# why: answers with its own StrEnum
from enum import StrEnum


class Text(StrEnum):
    KNOWN = "# a b"
    OTHER = ""


def squeeze_text(text):
    return Text(" ".join(text.split()))
