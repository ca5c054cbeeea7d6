"""Imports ratings from a CSV file: either all of them, or none and a list of all problems.

The first line names the columns: `rater` (a username); `item` (its number), or `submission`,
`task_id` and, if there are several, `sample` (from 0) and `requirement`; one column per scale, with
the scale's name; optional columns `<scale> comment`. Separators, encodings and numbers are read as
spreadsheets write them."""

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from evaluation.engine.records import Problem
from evaluation.engine.uploads import encoding_of, plain, printable
from leaderboard.accounts.models import User
from leaderboard.annotation.campaigns import want_results
from leaderboard.annotation.errors import NotNow, RatingProblems, RatingsRefused
from leaderboard.annotation.models import AssignmentState, Campaign, Item, MarkChange, Rater, Rating
from leaderboard.annotation.rating import Author, enter_ratings

MOST_BYTES = 20 * 2**20
MOST_LINES = 100_000
MOST_HEAD = 2_000  # characters of the first line, which decide between separators
_COMMENT = " comment"
_PLACE = ("submission", "task_id")
_PART = ("sample", "requirement")
# A first line that Excel writes and reads.
_SEPARATOR = re.compile(r'"?sep=([^\w"\r\n ])', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ImportedRatings:
    lines: int
    new: int
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
) -> ImportedRatings:
    """Enters the file's ratings. A different mark is a problem unless `replace` is true.

    Raises RatingsRefused, or ValidationError without a reason; then nothing is stored."""
    problems = RatingProblems()
    author = Author(user, MarkChange.By.FILE, reason)
    lines = _lines(campaign, content, problems)
    # All raters are locked before the first item, the lock order of `assigning.take_item`.
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
                    problems.append(Problem(sentence % words, line.number))
    if problems:
        raise RatingsRefused(problems)
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
            problems.append(Problem(str(error), line.number))
    # Raised inside the transaction, so that it rolls back.
    if problems:
        raise RatingsRefused(problems)
    changed = sum(change.old is not None for change in changes)
    return ImportedRatings(len(lines), len(changes) - changed, changed)


def _lines(campaign: Campaign, content: bytes, problems: RatingProblems) -> list[Line]:
    """The valid lines. Adds the problems of the others to `problems`."""
    scales = [criterion.name for criterion in campaign.criteria]
    names = [*("rater", "item", *_PLACE, *_PART), *scales]
    names += [name + _COMMENT for name in scales]
    names_by_cell = {plain(name): name for name in names}
    rows = _rows(content, names_by_cell, problems)
    first_line, header = next(rows, (1, []))
    columns = [names_by_cell.get(plain(cell), cell) for cell in header]
    if not problems:
        for sentence in _check_header(scales, columns, names):
            problems.append(Problem(sentence, first_line))
    if problems:
        return []
    people = campaign.raters.exclude(user=None).annotate(username=F("user__username"))
    raters = {rater.username: rater for rater in people}
    items = _items(campaign, by_number="item" in columns)
    lines: dict[tuple[int, int], Line] = {}
    for number, cells in rows:
        if len(cells) > len(columns):
            sentence = _("The line has %(cells)d cells, but the first line has %(columns)d.")
            counts = {"cells": len(cells), "columns": len(columns)}
            problems.append(Problem(sentence % counts, number))
            continue
        fields = dict(zip_longest(columns, cells, fillvalue=""))
        sentences = list[str]()
        rater = raters.get(fields["rater"])
        if rater is None:
            sentence = _("There is no rater %(name)s in this campaign.")
            sentences.append(sentence % {"name": printable(fields["rater"], 80)})
        if "item" in fields:
            item = items.get(whole_number(fields["item"]))
        else:
            submission, task = whole_number(fields["submission"]), fields["task_id"]
            sample = whole_number(fields.get("sample") or "0")
            rest = sample, fields.get("requirement", "")
            item = items.get((submission, task, *rest))
            if item is None and (task_number := whole_number(task)) is not None:
                item = items.get((submission, str(task_number), *rest))
        if item is None:
            sentences.append(_("There is no such generation in this campaign."))
        # No scale has thousands.
        marks = {name: whole_number(re.sub(r"[.,]0+$", "", fields[name])) or 0 for name in scales}
        for scale in campaign.criteria:
            if not 1 <= marks[scale.name] <= scale.top:
                parts = (fields.get(name) for name in ("item", *_PLACE, *_PART))
                place = "/".join(part for part in parts if part)
                sentence = _(
                    "“%(mark)s” of rater %(rater)s for item %(item)s is no mark in the column "
                    "%(criterion)s, which takes whole numbers from 1 to %(top)d."
                )
                words = {"mark": fields[scale.name], "rater": fields["rater"], "item": place}
                words = {name: printable(word) for name, word in words.items()}
                sentences.append(sentence % {**words, "criterion": scale.name, "top": scale.top})
        for sentence in sentences:
            problems.append(Problem(sentence, number))
        if rater is None or item is None or sentences:
            continue
        comments = {name: fields[name + _COMMENT] for name in scales if name + _COMMENT in fields}
        line = Line(number, rater, item, marks, comments)
        first = lines.setdefault((rater.pk, item.pk), line)
        if first is not line:
            sentence = _("Line %(line)d has the same rater and generation.")
            problems.append(Problem(sentence % {"line": first.number}, number))
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


def _rows(
    content: bytes, names: Container[str], problems: RatingProblems
) -> Iterator[tuple[int, list[str]]]:
    """The non-empty rows without blanks around and empty cells after them, each with the number of
    its first line. Of the separators, the one that gives most cells in `names` is taken."""
    if len(content) > MOST_BYTES:
        sentence = _("The file is larger than %(most)d MiB.") % {"most": MOST_BYTES >> 20}
        raise RatingsRefused(RatingProblems([Problem(sentence)]))
    try:
        text = content.decode(encoding_of(content))
    except UnicodeDecodeError as error:
        line = len((content[: error.start] + b"x").splitlines())
        sentence = _("This is not text in UTF-8. Save the sheet as CSV in UTF-8.")
        raise RatingsRefused(RatingProblems([Problem(sentence, line)])) from error
    lines = [*io.StringIO(text, newline="")]
    first = next((number for number, line in enumerate(lines) if plain(line)), 0)
    separators = ",;\t|"
    if lines and (declared := _SEPARATOR.match(lines[first])):
        separators, first = declared[1] + separators, first + 1
    head = "".join(lines[first : first + 1])[:MOST_HEAD]

    def fit(separator: str) -> tuple[int, int]:
        cells = next(csv.reader([head], delimiter=separator, skipinitialspace=True), [])
        return sum(plain(cell) in names for cell in cells), len(cells)

    separator = max(separators, key=fit)
    reader = csv.reader(lines[first:], delimiter=separator, skipinitialspace=True, strict=True)
    begins = first + 1
    try:
        for count, row in enumerate(reader):
            if count > MOST_LINES:
                sentence = _("The file has more than %(most)d lines.") % {"most": MOST_LINES}
                problems.append(Problem(sentence))
                return
            cells = [cell.strip() for cell in row]
            while cells and not cells[-1]:
                cells.pop()
            if cells:
                yield begins, cells
            begins = first + reader.line_num + 1
    except csv.Error as error:
        sentence = _("This is not CSV: %(reason)s.") % {"reason": error}
        problems.append(Problem(sentence, first + reader.line_num))


def _check_header(
    scales: Sequence[str], columns: Sequence[str], names: Collection[str]
) -> Iterator[str]:
    if len(columns) == 1:
        yield _("There is one column. Separate columns by commas, semicolons or tabs.")
        return
    if "item" not in columns and not set(_PLACE).issubset(columns):
        yield _("The first line must name the column item, or the columns submission and task_id.")
    for name in ("rater", *scales):
        if name not in columns:
            yield _("The first line does not name the column %(name)s.") % {"name": name}
    for name, count in Counter(columns).items():
        if name not in names:
            yield _("The column %(name)s is unknown.") % {"name": printable(name, 80) or '""'}
        elif count > 1:
            yield _("The column %(name)s appears twice.") % {"name": name}


def whole_number(text: str) -> int | None:
    """Accepts at most 18 ASCII digits, as 3, 3., 3.0 or 3,0. Not 3,000, which may be thousands."""
    number = re.fullmatch(r"(\d{1,18})([.,](?!000$)0*)?", text.strip(), re.ASCII)
    return int(number[1]) if number else None
