"""The content of a rater's form, and the scales as the form shows them. Reads no database rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext as _

from evaluation.engine.family import Criterion
from leaderboard.annotation.rating import MOST_COMMENT
from leaderboard.pages.shared.panel_words import scale_name
from leaderboard.text import storable

_MOST_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Entered:
    """The form's content. Marks may be missing or off their scale."""

    marks: Mapping[str, int] = field(default_factory=dict)
    comments: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""
    seconds: int | None = None
    version: int = 0

    @property
    def says_something(self) -> bool:
        return bool(self.marks or any(self.comments.values()))

    @classmethod
    def of(cls, form: Mapping[str, Any], scales: Sequence[Criterion]) -> Self:
        """Reads a posted form. Invalid numbers are dropped."""
        names = [scale.name for scale in scales]
        marks = {name: _number(form.get(mark_field(name))) for name in names}
        return cls(
            marks={name: mark for name, mark in marks.items() if mark is not None},
            comments={name: _text(form.get(comment_field(name))) for name in names},
            reason=_text(form.get("reason")),
            seconds=_number(form.get("seconds")),
            version=_number(form.get("version")) or 0,
        )


@dataclass(frozen=True, slots=True)
class Mark:
    """`short` is the meaning in a few words, or else the meaning."""

    value: int
    meaning: str
    short: str
    chosen: bool


class Earlier(NamedTuple):
    """Another rater's mark, for the person who settles it."""

    rater: int
    value: int
    comment: str


class FormScale(NamedTuple):
    """`field` and `comment_field` are names in the form; `wrong` are errors; `earlier` are the
    marks to settle."""

    name: str
    top: int
    field: str
    comment_field: str
    marks: Sequence[Mark]
    comment: str
    wrong: str
    earlier: Sequence[Earlier]


def scales(
    criteria: Sequence[Criterion],
    entered: Entered,
    wrong: Mapping[str, Sequence[str]] | None = None,
    earlier: Mapping[str, Sequence[Earlier]] | None = None,
) -> list[FormScale]:
    """`wrong` and `earlier` are by the names of scales."""
    return [
        FormScale(
            name=scale_name(criterion.name),
            top=criterion.top,
            field=mark_field(criterion.name),
            comment_field=comment_field(criterion.name),
            marks=scale_marks(criterion, entered.marks.get(criterion.name)),
            comment=entered.comments.get(criterion.name, ""),
            wrong=" ".join((wrong or {}).get(criterion.name, ())),
            earlier=(earlier or {}).get(criterion.name, ()),
        )
        for criterion in criteria
    ]


def scale_marks(criterion: Criterion, chosen: int | None = None) -> list[Mark]:
    """The best mark first. Marks without a meaning have none."""
    meanings = dict(enumerate(map(_, criterion.anchors), 1))
    short = dict(enumerate(map(_, criterion.short), 1))
    return [
        Mark(
            value,
            meanings.get(value, ""),
            short.get(value) or meanings.get(value, ""),
            value == chosen,
        )
        for value in range(criterion.top, 0, -1)
    ]


def mark_choice(criterion: Criterion, label: str, **options: Any) -> forms.TypedChoiceField:
    return forms.TypedChoiceField(
        label=label,
        coerce=int,
        choices=[(mark.value, f"{mark.value}. {mark.meaning}") for mark in scale_marks(criterion)],
        widget=forms.RadioSelect,
        **options,
    )


def mark_field(name: str) -> str:
    return f"mark-{slugify(name)}"


def comment_field(name: str) -> str:
    return f"comment-{slugify(name)}"


def _text(value: Any) -> str:
    return storable(value.replace("\r\n", "\n"))[:MOST_COMMENT] if isinstance(value, str) else ""


def _number(value: Any) -> int | None:
    if not isinstance(value, str) or not value.isascii() or not value.isdigit():
        return None
    return int(value) if len(value) <= _MOST_DIGITS else None
