"""Citations of boards, benchmarks and results, as a sentence and as BibTeX. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from django.utils import timezone
from django.utils.translation import gettext

_SPECIAL: Mapping[str, str] = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


@dataclass(frozen=True, slots=True)
class Citation:
    """`name` says what is cited; `facts` are what makes the number reproducible. `people` are the
    authors; without them, `author` is the name of a site or benchmark."""

    name: str
    title: str
    address: str
    facts: tuple[str, ...] = ()
    year: int | None = None
    author: str = "Assay"
    people: tuple[str, ...] = ()
    read: date = field(default_factory=timezone.localdate)

    @property
    def text(self) -> str:
        text = gettext("%(what)s. %(address)s, read on %(date)s.")
        what = ", ".join((self.title, *self.facts))
        if self.people:
            what = f"{', '.join(self.people)}: {what}"
        return text % {"what": what, "address": self.address, "date": self.read.isoformat()}

    @property
    def bibtex(self) -> str:
        # Percent signs are allowed in \url; braces and backslashes would end it.
        address = self.address.replace("\\", "%5C").replace("{", "%7B").replace("}", "%7D")
        fields = {
            "author": " and ".join(map(escaped, self.people)) or f"{{{escaped(self.author)}}}",
            "title": f"{{{escaped(self.title)}}}",
            "year": str(self.year or self.read.year),
            "note": escaped(", ".join(self.facts)),
            "howpublished": rf"\url{{{address}}}",
            "urldate": self.read.isoformat(),
        }
        lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
        words = re.findall(r"[a-z0-9]+", self.title.lower()) or ["assay"]
        key = "-".join((*words[:6], fields["year"]))
        return "\n".join((f"@misc{{{key},", *lines, "}"))


def escaped(text: str) -> str:
    """The text, escaped for TeX, on one line."""
    return "".join(_SPECIAL.get(sign, sign) for sign in " ".join(text.split()))
