"""Imports ratings from a CSV file: either all of them, or none and a list of all problems.

The first line names the columns: `rater` (a username); `item` (its number), or `submission`,
`task_id` and, if there are several, `sample` (from 0) and `requirement`; one column per scale, with
the scale's name; optional columns `<scale> comment`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from evaluation.engine.records import Problem
from leaderboard.accounts.models import User
from leaderboard.annotation.campaigns import want_results
from leaderboard.annotation.errors import NotNow, RatingsRefused
from leaderboard.annotation.models import (
    AssignmentState,
    Campaign,
    Item,
    MarkChange,
    Rater,
    Rating,
)
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

    found: list[Problem] = field(default_factory=list)
    count: int = 0

    def add(self, sentence: str, line: int | None = None) -> None:
        self.count += 1
        if len(self.found) < LISTED:
            self.found.append(Problem(sentence, line))

    def raise_any(self) -> None:
        if self.count:
            raise RatingsRefused(self.found, more=self.count - len(self.found))


@transaction.atomic
def import_ratings(
    *, campaign: Campaign, content: bytes, user: User, reason: str, replace: bool = False
) -> Imported:
    """Enters the file's ratings. A different mark is a problem unless `replace` is true.

    Raises RatingsRefused, or ValidationError without a reason; then nothing is stored.
    """
    problems = _Problems()
    author = Author(user, MarkChange.By.FILE, reason)
    lines = list(read_lines(campaign, content, problems))
    # All raters are locked before the first item, in the lock order of `assigning.take_item`: the
    # other order could deadlock.
    want_results(campaign=campaign)
    list(campaign.raters.select_for_update(no_key=True).order_by("pk").values("pk"))
    if not replace:
        _tell_of_changes(campaign, lines, problems)
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


def read_lines(campaign: Campaign, content: bytes, problems: _Problems) -> Iterator[Line]:
    """Yields the valid lines and adds the problems of the others to `problems`."""
    rows = _rows(content, problems)
    first_row = next(rows, None)
    columns = [name.strip() for name in first_row[1]] if first_row else []
    if not _header_fits(campaign, columns, problems):
        return
    people, places = _People(campaign), _Places(campaign)
    seen: dict[tuple[int, int], int] = {}
    for number, cells in rows:
        try:
            line = _line(campaign, people, places, number, _fields(columns, cells))
        except ValidationError as error:
            for sentence in error.messages:
                problems.add(sentence, number)
            continue
        first = seen.setdefault((line.rater.pk, line.item.pk), number)
        if first != number:
            words = {"line": first}
            problems.add(_("Line %(line)d has the same rater and generation.") % words, number)
        else:
            yield line


def _rows(content: bytes, problems: _Problems) -> Iterator[tuple[int, list[str]]]:
    """The non-empty rows, each with the number of its first line."""
    try:
        if len(content) > MOST_BYTES:
            raise ValueError(
                _("The file is larger than %(most)d MiB.") % {"most": MOST_BYTES >> 20}
            )
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problems.add(_("This is not UTF-8. Save the file as UTF-8."), line)
        return
    except ValueError as error:
        problems.add(str(error))
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


def _header_fits(campaign: Campaign, columns: Sequence[str], problems: _Problems) -> bool:
    before = problems.count
    if not columns and before:
        return False  # an unreadable file, which is reported already
    scales = [criterion.name for criterion in campaign.criteria]
    placed = "item" in columns or all(name in columns for name in _PLACE)
    if not placed:
        problems.add(
            _("The first line must name the column item, or the columns submission and task_id."), 1
        )
    for name in ("rater", *scales):
        if name not in columns:
            problems.add(_("The first line does not name the column %(name)s.") % {"name": name}, 1)
    known = {"rater", "item", *_PLACE, "sample", "requirement", *scales}
    known |= {name + _COMMENT for name in scales}
    for name in dict.fromkeys(columns):
        if name not in known:
            problems.add(_("The column %(name)s is unknown.") % {"name": name[:80] or '""'}, 1)
        elif columns.count(name) > 1:
            problems.add(_("The column %(name)s appears twice.") % {"name": name}, 1)
    return problems.count == before


def _fields(columns: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    """Raises ValidationError if the number of cells differs from the header's."""
    if len(cells) != len(columns):
        words = {"cells": len(cells), "columns": len(columns)}
        raise ValidationError(
            _("The line has %(cells)d cells, but the first line has %(columns)d.") % words
        )
    return dict(zip(columns, cells, strict=True))


def _line(
    campaign: Campaign, people: _People, places: _Places, number: int, fields: dict[str, str]
) -> Line:
    """Raises ValidationError with all problems of the line."""
    wrong: list[str] = []
    rater = people.find(fields["rater"].strip())
    if rater is None:
        wrong.append(
            _("There is no rater %(name)s in this campaign.") % {"name": fields["rater"][:80]}
        )
    item = places.find(fields)
    if item is None:
        wrong.append(_("There is no such generation in this campaign."))
    given = {one.name: whole_number(fields[one.name]) for one in campaign.criteria}
    try:
        marks = checked_marks(given, campaign.criteria)
    except ValidationError as error:
        wrong += error.messages
        marks = {}
    if wrong or rater is None or item is None:
        raise ValidationError(wrong)
    comments = {
        one.name: fields[one.name + _COMMENT]
        for one in campaign.criteria
        if one.name + _COMMENT in fields
    }
    return Line(number, rater, item, marks, comments)


def whole_number(text: str) -> int | None:
    """Returns None unless the cell consists of at most 18 ASCII digits."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


class _People:
    def __init__(self, campaign: Campaign) -> None:
        rows = campaign.raters.exclude(user=None).select_related("user")
        self._raters = {row.user.username: row for row in rows if row.user is not None}

    def find(self, username: str) -> Rater | None:
        return self._raters.get(username)


class _Places:
    def __init__(self, campaign: Campaign) -> None:
        items = Item.objects.filter(campaign=campaign, kind=Item.Kind.GENERATION)
        rows = items.select_related("task", "generation").defer("generation__text", "task__public")
        self._by_number = {row.pk: row for row in rows}
        self._by_name = {self._name(row): row for row in rows}

    @staticmethod
    def _name(row: Item) -> tuple[int, str, int, str]:
        generation = row.generation
        assert generation is not None, "these items are generations"
        return (
            generation.submission_id,
            row.task.external_id,
            generation.sample,
            generation.requirement,
        )

    def find(self, fields: Mapping[str, str]) -> Item | None:
        if "item" in fields:
            return self._by_number.get(whole_number(fields["item"]) or 0)
        submission = whole_number(fields["submission"])
        sample = whole_number(fields.get("sample") or "0")
        if submission is None or sample is None:
            return None
        task, requirement = fields["task_id"].strip(), fields.get("requirement", "").strip()
        return self._by_name.get((submission, task, sample, requirement))


def _tell_of_changes(campaign: Campaign, lines: Sequence[Line], problems: _Problems) -> None:
    stands = {
        (item, rater, criterion): value
        for item, rater, criterion, value in Rating.objects.filter(
            assignment__item__campaign=campaign, assignment__state=AssignmentState.DONE
        ).values_list("assignment__item", "assignment__rater", "criterion", "value")
    }
    for line in lines:
        for name, value in line.marks.items():
            before = stands.get((line.item.pk, line.rater.pk, name), value)
            if before != value:
                words = {"criterion": _(name), "old": before, "new": value}
                problems.add(
                    _("%(criterion)s already has the mark %(old)d, but the file says %(new)d.")
                    % words,
                    line.number,
                )
