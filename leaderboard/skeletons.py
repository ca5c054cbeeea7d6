"""What a name looks like: skeletons of Unicode Technical Standard 39.

Unicode's table comes from `confusable_homoglyphs`, which finds pairs and makes no skeletons."""

import unicodedata
from functools import cache

from evaluation.engine.characters import FILLERS


def skeleton(name: str) -> str:
    """Equal for names that look alike in any case. Unlike the standard's, it ignores case: capitals
    look like other letters than small ones do, so the table is applied before and after."""
    # A capital i looks like a small l.
    return _prototype(_prototype(name).casefold()).replace("i", "l")


def _prototype(text: str) -> str:
    visible = unicodedata.normalize("NFD", text).translate(dict.fromkeys(FILLERS))
    return unicodedata.normalize("NFD", visible.translate(_table()))


@cache
def _table() -> dict[int, str]:
    """What stands for each character in a skeleton. In the library's table a character that stands
    for several lists all of them, and each of them lists only it; of a pair either may stand for
    the other, and two characters for one."""
    # Takes a tenth of a second to read, which few processes need.
    from confusable_homoglyphs.confusables import confusables_data

    def rank(text: str) -> tuple[int, bool, str]:
        return len(confusables_data[text]), len(text) > 1, text

    table = {}
    for text, alike in confusables_data.items():
        stands = max([text, *(other["c"] for other in alike)], key=rank)
        if len(text) == 1 and stands != text:
            table[ord(text)] = stands
    return table
