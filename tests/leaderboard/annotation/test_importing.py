"""Tests of the import of ratings from CSV: every problem with its line, all rows or none."""

import csv
import io
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaderboard.annotation import campaigns, errors, importing
from leaderboard.annotation.errors import RatingsRefused
from leaderboard.annotation.importing import ImportedRatings, import_ratings, whole_number
from leaderboard.annotation.models import MarkChange, Rating
from tests.support.panel import Panel

pytestmark = pytest.mark.any_database

HEADER = ["rater", "item", "correctness", "code quality", "maintainability"]


@pytest.fixture
def ready(panel: Panel) -> Panel:
    panel.rater("ann")
    panel.rater("ben")
    return panel


def lines(*rows: Sequence[object], header: Sequence[str] = HEADER) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows([header, *rows])
    return text.getvalue().encode()


def read(panel: Panel, content: bytes, *, replace: bool = False) -> ImportedRatings:
    return import_ratings(
        campaign=panel.campaign,
        content=content,
        user=panel.cast.dora,
        reason="paper forms of May",
        replace=replace,
    )


def problems(panel: Panel, content: bytes) -> list[tuple[int | None, str]]:
    with pytest.raises(RatingsRefused) as caught:
        read(panel, content)
    assert not Rating.objects.exists()
    assert not MarkChange.objects.exists()
    return [(one.line, one.sentence) for one in caught.value.problems]


def test_generations_are_named_by_submission_and_task_too(ready: Panel) -> None:
    header = ["rater", "submission", "task_id", "sample", *HEADER[2:], "correctness comment"]
    ready.campaign  # noqa: B018  # has the submission
    # A spreadsheet may have made a decimal of a number.
    for task in (4, "4,0"):
        Rating.objects.all().delete()
        row = ("ann", ready.fenland.pk, task, "", "3.000", "2,000", "4.", 'two\nlines, "quoted"')
        assert read(ready, lines(row, header=header)).lines == 1
    rating = Rating.objects.get(criterion="correctness")
    item = rating.assignment.item
    assert item.generation is not None
    assert (item.generation.submission, item.task.external_id) == (ready.fenland, "4")
    assert rating.comment == 'two\nlines, "quoted"'


def wrong(mark: str, rater: str, item: int | str, column: str, top: int) -> str:
    return (
        f"“{mark}” of rater {rater} for item {item} is no mark in the column {column}, which takes "
        f"whole numbers from 1 to {top}."
    )


def test_every_problem_has_its_line(ready: Panel) -> None:
    item = ready.item().pk
    content = lines(
        ("ann", item, 5, 2, 4),
        ("zoe", item, 3, 2, 4),
        ("ann", 10**9, 3, "x", 4),
        ("ann", item, 3, 2),
        ("ben", item, 3, 2, 4),
        ("ben", item, 3, 2, 4),
        ("ben", item, 3, 2, 4, "more"),
    )
    assert problems(ready, content) == [
        (2, wrong("5", "ann", item, "correctness", 4)),
        (3, "There is no rater zoe in this campaign."),
        (4, "There is no such generation in this campaign."),
        (4, wrong("x", "ann", 10**9, "code quality", 3)),
        (5, wrong("", "ann", item, "maintainability", 5)),
        (7, "Line 6 has the same rater and generation."),
        (8, "The line has 6 cells, but the first line has 5."),
    ]


@pytest.mark.parametrize(
    ("sample", "requirement", "place"), [("2", "", "4/2"), ("", "A", "4/A"), ("", "", "4")]
)
def test_a_wrong_mark_of_a_sample_is_named_with_its_place(
    ready: Panel, sample: str, requirement: str, place: str
) -> None:
    header = ["rater", "submission", "task_id", "sample", "requirement", *HEADER[2:]]
    row = ("ann", ready.fenland.pk, 4, sample, requirement, 5, 2, 4)
    sentence = wrong("5", "ann", f"{ready.fenland.pk}/{place}", "correctness", 4)
    assert (2, sentence) in problems(ready, lines(row, header=header))


def test_lines_are_counted_as_an_editor_shows_them(ready: Panel) -> None:
    header = [*HEADER, "correctness comment"]
    content = lines(
        ("ann", ready.item().pk, 3, 2, 4, "two\nlines"),
        ("zoe", ready.item().pk, 3, 2, 4, ""),
        header=header,
    )
    assert [line for line, _ in problems(ready, content)] == [4]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "must name the column item"),
        (b"rater,item\n", "does not name the column correctness"),
        (lines(header=[*HEADER, "beauty"]), "The column beauty is unknown"),
        (lines(header=[*HEADER, "rater"]), "appears twice"),
        (b"rater,item\n\xff\n", "not text in UTF-8"),
        (lines() + b'"open\n', "not CSV"),
        (lines() + b"a\0b\n", "not CSV|no rater a"),
        (b"rater item correctness\n", "commas, semicolons or tabs"),
        (b"PK\3\4\xff", "Save the sheet as CSV"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_so(ready: Panel, content: bytes, words: str) -> None:
    told = " ".join(sentence for _, sentence in problems(ready, content))
    assert any(word in told for word in words.split("|"))


def test_many_problems_are_counted(ready: Panel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "LISTED", 2)
    with pytest.raises(RatingsRefused) as caught:
        read(ready, lines(*[("zoe", 0, 3, 2, 4)] * 5))
    assert (len(caught.value.problems), caught.value.more) == (2, 8)


def test_files_and_lines_are_bounded(ready: Panel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "MOST_LINES", 1)
    content = lines(("ann", ready.item().pk, 3, 2, 4), ("ben", ready.item().pk, 3, 2, 4))
    assert problems(ready, content) == [(None, "The file has more than 1 lines.")]
    monkeypatch.setattr(importing, "MOST_BYTES", 0)
    assert "larger" in problems(ready, content)[0][1]


def test_nobody_s_own_team_is_rated_by_a_file_either(ready: Panel) -> None:
    campaigns.add_rater(campaign=ready.campaign, user=ready.cast.alice)
    content = lines(("ann", ready.item().pk, 3, 2, 4), ("alice", ready.item().pk, 3, 2, 4))
    assert problems(ready, content) == [(3, "Raters cannot rate submissions of their own team.")]


CELLS = st.text(st.characters(codec="utf-8"), max_size=6) | st.sampled_from(
    ["ann", "ben", "1", "2", "3", "-1", "4.0", "\u0663", '"', "\n", ",", " 2 "]
)


@settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(rows=st.lists(st.lists(CELLS, max_size=6), max_size=4), raw=st.binary(max_size=40))
def test_whatever_a_file_holds_it_is_taken_or_refused(
    ready: Panel, rows: list[list[str]], raw: bytes
) -> None:
    Rating.objects.all().delete()
    for content in (lines(*rows), raw, lines() + raw):
        try:
            done = read(ready, content, replace=True)
        except RatingsRefused as refused:
            assert refused.problems
        else:
            assert Rating.objects.count() <= 3 * done.lines


@pytest.mark.parametrize(
    "text",
    [
        *("", "\u00b2", "\u0663", "1\u0663", "-1", "+1", "1_0", "1.5", "1,50", "1.0.0", "."),
        *("1,000", "12.000"),  # thousands
    ],
)
def test_a_whole_number_is_digits_alone(text: str) -> None:
    assert whole_number(text) is None


@given(st.integers(0, 10**18 - 1))
def test_every_number_that_fits_is_read(number: int) -> None:
    for ending in ("", ".", ".0", ",0", ",00"):
        assert whole_number(f" {number}{ending} ") == number


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), max_size=8)


@st.composite
def saved(draw: st.DrawFn, rows: list[list[str]]) -> bytes:
    """The table as a spreadsheet may save it."""
    separator = draw(st.sampled_from(",;\t|"))
    case = draw(st.sampled_from([str.upper, str.title, str.lower]))
    header = [draw(st.sampled_from(["", " "])) + case(name) for name in rows[0]]
    number = draw(st.sampled_from(["{}", "{}.0", "{},0", " {} "]))
    # A comment of digits alone may be changed by a spreadsheet as well; nothing can tell that.
    body = [[*map(number.format, row[1:-1])] for row in rows[1:]]
    body = [[row[0], *cells, row[-1]] for row, cells in zip(rows[1:], body, strict=True)]
    empty = [""] * draw(st.integers(0, 3))
    text = io.StringIO()
    if draw(st.booleans()):
        text.write(f"sep={separator}\r\n")
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    writer = csv.writer(text, delimiter=separator, quoting=quoting, lineterminator=end)
    writer.writerows([row + empty for row in [header, *body]])
    writer.writerows([["", *empty]] * draw(st.integers(0, 2)))
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"]))
    return text.getvalue().encode(encoding)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data(), comments=st.lists(WORDS, min_size=2, max_size=2))
def test_a_table_reads_the_same_however_a_spreadsheet_saves_it(
    ready: Panel, data: st.DataObject, comments: list[str]
) -> None:
    Rating.objects.all().delete()
    item = str(ready.item().pk)
    rows = [
        [*HEADER, "correctness comment"],
        ["ann", item, "3", "2", "4", comments[0]],
        ["ben", item, "1", "3", "5", comments[1]],
    ]
    assert read(ready, data.draw(saved(rows)), replace=True).lines == 2
    found = Rating.objects.order_by("assignment__rater", "pk").values_list("value", "comment")
    assert sorted(found) == sorted(
        [(3, comments[0].strip()), (2, ""), (4, ""), (1, comments[1].strip()), (3, ""), (5, "")]
    )


def test_the_separator_in_a_comment_deceives_nobody(ready: Panel) -> None:
    item = ready.item().pk
    rows = "rater;item;correctness;code quality;maintainability;correctness comment\n"
    rows += f"ann;{item};3;2;4;a, b, c, d, e, f, g\n"
    assert read(ready, rows.encode()).lines == 1


def test_an_invisible_character_in_a_mark_is_named(ready: Panel) -> None:
    item = ready.item().pk
    (problem,) = problems(ready, lines(("ann", item, "3\u200b", 2, 4)))
    assert problem == (2, wrong("3\\u200b", "ann", item, "correctness", 4))
    (problem,) = problems(ready, lines(("ann\u200b", item, 3, 2, 4)))
    assert problem == (2, "There is no rater ann\\u200b in this campaign.")
    (problem,) = problems(ready, lines(header=[*HEADER, "\u200bnote"]))
    assert problem == (1, "The column \\u200bnote is unknown.")
