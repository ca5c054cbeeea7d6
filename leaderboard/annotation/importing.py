"""Imports ratings from a CSV file: either all of them, or none and a list of all problems.

The first line names the columns: `rater` (a username); `item` (its number), or `submission`,
`task_id` and, if there are several, `sample` (from 0) and `requirement`; one column per scale, with
the scale's name; optional columns `<scale> comment`.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from evaluation.engine.records import Problem
from leaderboard.accounts.models import User
from leaderboard.annotation.campaigns import want_results
from leaderboard.annotation.errors import NotNow, RatingsRefused
from leaderboard.annotation.models import AssignmentState, Campaign, Item, MarkChange, Rater, Rating
from leaderboard.annotation.rating import Author, checked_marks, enter_ratings

MOST_BYTES = 20 * 2**20
MOST_LINES = 100_000
LISTED = 100
_COMMENT = " comment"
_PLACE = ("submission", "task_id")


@dataclass(frozen=True, slots=True)
class Imported:
    lines: int
    given: int
    changed: int


@dataclass(frozen=True, slots=True)
class Line:
    number: int
    rater: Rater
    item: Item
    marks: Mapping[str, int]
    comments: Mapping[str, str]


@dataclass
class _Problems:
    """Lists the first `LISTED` problems and counts all."""

    listed: list[Problem] = field(default_factory=list)
    count: int = 0

    def add(self, sentence: str, line: int | None = None) -> None:
        self.count += 1
        if len(self.listed) < LISTED:
            self.listed.append(Problem(sentence, line))

    def raise_any(self) -> None:
        if self.count:
            raise RatingsRefused(self.listed, more=self.count - len(self.listed))


@transaction.atomic
def import_ratings(
    *, campaign: Campaign, content: bytes, user: User, reason: str, replace: bool = False
) -> Imported:
    """Enters the file's ratings. A different mark is a problem unless `replace` is true.

    Raises RatingsRefused, or ValidationError without a reason; then nothing is stored.
    """
    problems = _Problems()
    author = Author(user, MarkChange.By.FILE, reason)
    lines = _lines(campaign, content, problems)
    # All raters are locked before the first item, in the lock order of `assigning.take_item`: the
    # other order could deadlock.
    want_results(campaign=campaign)
    list(campaign.raters.select_for_update(no_key=True).order_by("pk").values("pk"))
    if not replace:
        rated = Rating.objects.filter(
            assignment__item__campaign=campaign, assignment__state=AssignmentState.DONE
        ).values_list("assignment__item", "assignment__rater", "criterion", "value")
        marks = {(item, rater, scale): value for item, rater, scale, value in rated}
        for line in lines:
            for name, value in line.marks.items():
                before = marks.get((line.item.pk, line.rater.pk, name), value)
                if before != value:
                    sentence = _(
                        "%(criterion)s already has the mark %(old)d, but the file says %(new)d."
                    )
                    words = {"criterion": _(name), "old": before, "new": value}
                    problems.add(sentence % words, line.number)
    problems.raise_any()
    changes: list[MarkChange] = []
    for line in lines:
        try:
            changes += enter_ratings(
                item=line.item,
                rater=line.rater,
                marks=line.marks,
                comments=line.comments,
                author=author,
            )
        except NotNow as error:
            problems.add(str(error), line.number)
    # Raised inside the transaction, so that it rolls back.
    problems.raise_any()
    changed = sum(change.old is not None for change in changes)
    return Imported(len(lines), len(changes) - changed, changed)


def _lines(campaign: Campaign, content: bytes, problems: _Problems) -> list[Line]:
    """The valid lines. Adds the problems of the others to `problems`."""
    rows = _rows(content, problems)
    _number, header = next(rows, (1, []))
    columns = [name.strip() for name in header]
    if not columns and problems.count:
        return []  # an unreadable file, which is reported already
    _check_header(campaign, columns, problems)
    if problems.count:
        return []
    raters = {
        rater.user.username: rater
        for rater in campaign.raters.exclude(user=None).select_related("user")
        if rater.user is not None
    }
    items = _Items(campaign)
    lines: dict[tuple[int, int], Line] = {}
    for number, cells in rows:
        if len(cells) != len(columns):
            sentence = _("The line has %(cells)d cells, but the first line has %(columns)d.")
            problems.add(sentence % {"cells": len(cells), "columns": len(columns)}, number)
            continue
        fields = dict(zip(columns, cells, strict=True))
        before = problems.count
        rater = raters.get(fields["rater"].strip())
        if rater is None:
            sentence = _("There is no rater %(name)s in this campaign.")
            problems.add(sentence % {"name": fields["rater"][:80]}, number)
        item = items.named_in(fields)
        if item is None:
            problems.add(_("There is no such generation in this campaign."), number)
        names = [criterion.name for criterion in campaign.criteria]
        marks = {name: whole_number(fields[name]) for name in names}
        try:
            checked = checked_marks(marks, campaign.criteria)
        except ValidationError as error:
            for sentence in error.messages:
                problems.add(sentence, number)
        if rater is None or item is None or problems.count > before:
            continue
        comments = {name: fields[name + _COMMENT] for name in names if name + _COMMENT in fields}
        line = Line(number, rater, item, checked, comments)
        first = lines.setdefault((rater.pk, item.pk), line)
        if first is not line:
            sentence = _("Line %(line)d has the same rater and generation.")
            problems.add(sentence % {"line": first.number}, number)
    return list(lines.values())


def _rows(content: bytes, problems: _Problems) -> Iterator[tuple[int, list[str]]]:
    """The non-empty rows, each with the number of its first line."""
    if len(content) > MOST_BYTES:
        problems.add(_("The file is larger than %(most)d MiB.") % {"most": MOST_BYTES >> 20})
        return
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problems.add(_("This is not UTF-8. Save the file as UTF-8."), line)
        return
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    begins = 1
    try:
        for count, cells in enumerate(reader):
            if count > MOST_LINES:
                problems.add(_("The file has more than %(most)d lines.") % {"most": MOST_LINES})
                return
            if any(cell.strip() for cell in cells):
                yield begins, cells
            begins = reader.line_num + 1
    except csv.Error as error:
        problems.add(_("This is not CSV: %(reason)s.") % {"reason": error}, reader.line_num)


def _check_header(campaign: Campaign, columns: Sequence[str], problems: _Problems) -> None:
    scales = [criterion.name for criterion in campaign.criteria]
    if "item" not in columns and not set(_PLACE).issubset(columns):
        problems.add(
            _("The first line must name the column item, or the columns submission and task_id."), 1
        )
    for name in ("rater", *scales):
        if name not in columns:
            problems.add(_("The first line does not name the column %(name)s.") % {"name": name}, 1)
    known = {"rater", "item", *_PLACE, "sample", "requirement", *scales}
    known |= {name + _COMMENT for name in scales}
    for name, count in Counter(columns).items():
        if name not in known:
            problems.add(_("The column %(name)s is unknown.") % {"name": name[:80] or '""'}, 1)
        elif count > 1:
            problems.add(_("The column %(name)s appears twice.") % {"name": name}, 1)


def whole_number(text: str) -> int | None:
    """Returns None unless the cell consists of at most 18 ASCII digits."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


class _Items:
    """A campaign's generations by number and by submission, task, sample and requirement."""

    def __init__(self, campaign: Campaign) -> None:
        items = Item.objects.filter(campaign=campaign, kind=Item.Kind.GENERATION)
        rows = items.select_related("task", "generation").defer("generation__text", "task__public")
        self._by_number = {row.pk: row for row in rows}
        self._by_place = {
            (made.submission_id, row.task.external_id, made.sample, made.requirement): row
            for row in rows
            if (made := row.generation)
        }

    def named_in(self, fields: Mapping[str, str]) -> Item | None:
        if "item" in fields:
            return self._by_number.get(whole_number(fields["item"]) or 0)
        submission = whole_number(fields["submission"])
        sample = whole_number(fields.get("sample") or "0")
        if submission is None or sample is None:
            return None
        task, requirement = fields["task_id"].strip(), fields.get("requirement", "").strip()
        return self._by_place.get((submission, task, sample, requirement))
