"""Characters that cannot be seen, for compilers' messages, pages and names."""

import unicodedata

# Characters that are drawn as nothing and yet are printable.
FILLERS = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, 0x16FE4, 0x1D159}
FILLERS |= {*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}
# The pattern of what cannot be seen or changes the order of other characters: the categories Cc
# (without tabs and line breaks), Cf, Cs, Zl, Zp, Zs (without the blank), tags, fillers.
UNSEEN = (
    "[\0-\x08\x0b-\x1f\x7f-\xa0\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u1680\u2000-\u200f"
    "\u2028-\u202f\u205f-\u206f\u3000\ud800-\udfff\ufeff\ufff0-\ufffb\U000110bd\U000110cd"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    f"{''.join(map(chr, sorted(FILLERS)))}]"
)
_CONTROLS = ("NULL", "LINE TABULATION", "FORM FEED", "CARRIAGE RETURN", "ESCAPE", "NEXT LINE")
_NAMES = {unicodedata.lookup(name): name for name in _CONTROLS}


def named(char: str) -> str:
    """Its code point and its name."""
    other = "CONTROL CHARACTER" if unicodedata.category(char) == "Cc" else "without a name"
    return f"U+{ord(char):04X} {unicodedata.name(char, _NAMES.get(char, other))}"
