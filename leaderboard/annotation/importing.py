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
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from leaderboard.accounts.models import User
from leaderboard.annotation.campaigns import checked_marks, want_results
from leaderboard.annotation.errors import NotNow, RatingsRefused
from leaderboard.annotation.models import AssignmentState, Campaign, Item, MarkChange, Rater, Rating
from leaderboard.annotation.rating import Author, enter_ratings

MOST_BYTES = 20 * 2**20
MOST_LINES = 100_000
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


@transaction.atomic
def import_ratings(
    *, campaign: Campaign, content: bytes, user: User, reason: str, replace: bool = False
) -> Imported:
    """Enters the file's ratings. A different mark is a problem unless `replace` is true.

    Raises RatingsRefused, or ValidationError without a reason; then nothing is stored.
    """
    refused = RatingsRefused()
    author = Author(user, MarkChange.By.FILE, reason)
    lines = _lines(campaign, content, refused)
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
                    refused.add(sentence % words, line.number)
    if refused.problems:
        raise refused
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
            refused.add(str(error), line.number)
    # Raised inside the transaction, so that it rolls back.
    if refused.problems:
        raise refused
    changed = sum(change.old is not None for change in changes)
    return Imported(len(lines), len(changes) - changed, changed)


def _lines(campaign: Campaign, content: bytes, refused: RatingsRefused) -> list[Line]:
    """The valid lines. Adds the problems of the others to `refused`."""
    rows = _rows(content, refused)
    _number, header = next(rows, (1, []))
    columns = [name.strip() for name in header]
    scales = [criterion.name for criterion in campaign.criteria]
    if not refused.problems:
        _check_header(scales, columns, refused)
    if refused.problems:
        return []
    raters = {
        rater.user.username: rater
        for rater in campaign.raters.exclude(user=None).select_related("user")
        if rater.user is not None
    }
    items = _items(campaign, by_number="item" in columns)
    lines: dict[tuple[int, int], Line] = {}
    for number, cells in rows:
        if len(cells) != len(columns):
            sentence = _("The line has %(cells)d cells, but the first line has %(columns)d.")
            refused.add(sentence % {"cells": len(cells), "columns": len(columns)}, number)
            continue
        fields = dict(zip(columns, cells, strict=True))
        problems = []
        rater = raters.get(fields["rater"].strip())
        if rater is None:
            sentence = _("There is no rater %(name)s in this campaign.")
            problems.append(sentence % {"name": fields["rater"][:80]})
        if "item" in fields:
            item = items.get(whole_number(fields["item"]))
        else:
            submission, task = whole_number(fields["submission"]), fields["task_id"].strip()
            sample = whole_number(fields.get("sample") or "0")
            item = items.get((submission, task, sample, fields.get("requirement", "").strip()))
        if item is None:
            problems.append(_("There is no such generation in this campaign."))
        marks = {}
        try:
            given = {name: whole_number(fields[name]) for name in scales}
            marks = checked_marks(given, campaign.criteria)
        except ValidationError as error:
            problems += error.messages
        for sentence in problems:
            refused.add(sentence, number)
        if rater is None or item is None or problems:
            continue
        comments = {name: fields[name + _COMMENT] for name in scales if name + _COMMENT in fields}
        line = Line(number, rater, item, marks, comments)
        first = lines.setdefault((rater.pk, item.pk), line)
        if first is not line:
            sentence = _("Line %(line)d has the same rater and generation.")
            refused.add(sentence % {"line": first.number}, number)
    return list(lines.values())


def _items(campaign: Campaign, *, by_number: bool) -> dict[Any, Item]:
    """The campaign's generations, by number or by submission, task, sample and requirement."""
    rows = campaign.items.filter(kind=Item.Kind.GENERATION).select_related("task", "generation")
    items: dict[Any, Item] = {}
    for item in rows.defer("generation__text", "task__public"):
        assert (made := item.generation) is not None
        place = made.submission_id, item.task.external_id, made.sample, made.requirement
        items[item.pk if by_number else place] = item
    return items


def _rows(content: bytes, refused: RatingsRefused) -> Iterator[tuple[int, list[str]]]:
    """The non-empty rows, each with the number of its first line."""
    if len(content) > MOST_BYTES:
        refused.add(_("The file is larger than %(most)d MiB.") % {"most": MOST_BYTES >> 20})
        return
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        refused.add(_("This is not UTF-8. Save the file as UTF-8."), line)
        return
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    begins = 1
    try:
        for count, cells in enumerate(reader):
            if count > MOST_LINES:
                refused.add(_("The file has more than %(most)d lines.") % {"most": MOST_LINES})
                return
            if any(cell.strip() for cell in cells):
                yield begins, cells
            begins = reader.line_num + 1
    except csv.Error as error:
        refused.add(_("This is not CSV: %(reason)s.") % {"reason": error}, reader.line_num)


def _check_header(scales: Sequence[str], columns: Sequence[str], refused: RatingsRefused) -> None:
    if "item" not in columns and not set(_PLACE).issubset(columns):
        refused.add(
            _("The first line must name the column item, or the columns submission and task_id."), 1
        )
    for name in ("rater", *scales):
        if name not in columns:
            refused.add(_("The first line does not name the column %(name)s.") % {"name": name}, 1)
    names = {"rater", "item", *_PLACE, "sample", "requirement", *scales}
    names |= {name + _COMMENT for name in scales}
    for name, count in Counter(columns).items():
        if name not in names:
            refused.add(_("The column %(name)s is unknown.") % {"name": name[:80] or '""'}, 1)
        elif count > 1:
            refused.add(_("The column %(name)s appears twice.") % {"name": name}, 1)


def whole_number(text: str) -> int | None:
    """Returns None unless the cell consists of at most 18 ASCII digits."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
