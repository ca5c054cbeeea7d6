"""Tests of the comparison of entrants: one answer, and the numbers behind it."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.test import Client

from leaderboard.benchmarks.models import Task
from leaderboard.boards import comparing
from leaderboard.boards.rows import Row, rows_without_scores
from leaderboard.pages.boards.compare_sentences import p_text
from leaderboard.scores.boards import make_board, want_board
from leaderboard.scores.models import Board, Score, TaskResult
from tests.leaderboard.pages.boards.published import PATTERNS, page, results, two_levels
from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.cast import Cast
from tests.support.rated import rated_board, rated_panel

pytestmark = pytest.mark.any_database

COMPARE = "/compare/rucodeeval/"
PAIR = f"{COMPARE}?entrant=model-02&entrant=model-03"


def answer(text: str) -> str:
    return text[text.index('class="answer"') : text.index('class="filters"')]


def test_two_that_differ_get_a_yes_with_p(cast: Cast, client: Client) -> None:
    results(cast, 4)
    text = page(client, PAIR)
    assert "Yes: <b>Model 02</b> is better than <b>Model 03</b> by <b>100.0 percentage" in text
    assert "which is more than chance would explain." in answer(text)
    assert "corrected for all pairs of the board&#x27;s 4 entrants." in answer(text)


def test_two_of_the_same_results_have_equal_scores(cast: Cast, client: Client) -> None:
    """Every pass@k is a row, with a dash where samples are too few."""
    for name, samples in (("Many", 5), ("One", 1)):
        cast.judged_submission(cast.entrant(name), ("passed",), samples=samples)
    text = page(client, f"{COMPARE}?entrant=many&entrant=one")
    assert "<b>Many</b> and <b>One</b> have equal scores." in answer(text)
    assert "may be chance" in text
    rows = dict(re.findall(r'<th scope="row">(pass@\d+)</th>(.*?)</tr>', text))
    assert list(rows) == ["pass@1", "pass@5"]
    assert [row.count('class="missing"') for row in rows.values()] == [0, 1]


def test_the_answer_follows_the_stored_decision_of_the_board(cast: Cast, client: Client) -> None:
    """A pair that differs on a board of two need not differ on a larger one."""
    results(cast, 12)
    board = Board.objects.get()
    for first, second in (("02", "00"), ("00", "03"), ("02", "06")):
        told = answer(page(client, f"{COMPARE}?entrant=model-{first}&entrant=model-{second}"))
        rows = board.standings.filter(
            submission__entrant__slug__in=(f"model-{first}", f"model-{second}")
        )
        tied = set.intersection(*(set(row.groups) for row in rows))
        assert ("Yes:" in told) == (not tied)


def test_without_a_choice_it_offers_the_leader_and_its_closest_rivals(
    cast: Cast, client: Client
) -> None:
    """From the home page it takes two clicks."""
    results(cast, 5)
    assert 'href="/compare/"' in page(client, "/")
    offers = page(client, "/compare/")
    address = offers[offers.index('href="/compare/rucodeeval/') + 6 :].split('"')[0]
    assert 'class="answer"' in page(client, address.replace("&amp;", "&"))
    text = page(client, COMPARE)
    assert "These are the leader and its closest rivals." in text
    order = list(Board.objects.get().standings.values_list("submission__entrant__name", flat=True))
    assert f"<h1>{order[0]}, {order[1]} and {order[2]}</h1>" in text
    board = page(client, "/benchmarks/rucodeeval/")
    assert board.count('name="entrant" value="model-0') == 5
    assert 'action="/compare/rucodeeval/"' in board


def test_too_few_tasks_are_not_tested(cast: Cast, client: Client) -> None:
    reason = "Too few to test differences: 4 tasks."
    results(cast, 2)
    kept = list(Task.objects.values_list("pk", flat=True)[:4])
    TaskResult.objects.exclude(task__in=kept).delete()
    board = Board.objects.get()
    want_board(submission=board.standings.all()[0].submission)
    assert make_board(board=board)
    cache.clear()
    text = page(client, f"{COMPARE}?entrant=model-00&entrant=model-01")
    assert reason in answer(text) and "1.00" not in text
    assert "not tested" in text and "being computed" not in text
    assert reason in page(client, "/benchmarks/rucodeeval/")
    board.refresh_from_db()
    assert board.facts["p"] == [None]


def rows_of(*slugs: str) -> list[Row]:
    board = Board.objects.get()
    every = rows_without_scores([board.pk], AnonymousUser())[board.pk]
    return [row for row in every if row.entrant.slug in slugs]


def test_a_slice_is_corrected_for_the_chosen_and_says_so(cast: Cast, client: Client) -> None:
    two_levels(cast)
    results(cast, 4)
    text, easy = page(client, PAIR), page(client, f"{PAIR}&slice=level&value=easy")
    assert answer(easy) != answer(text)
    # Six tasks show the greatest difference at 5 %, but not in one of two parts.
    assert "In easy: <b>Model 02</b> scores better" in answer(easy)
    said = "corrected for the pairs of the 2 chosen entrants and for the number of such parts (2)."
    assert said in answer(easy)
    whole = comparing.comparison_of(
        Board.objects.get(), rows_of("model-02", "model-03"), ("level", "easy"), lower=False
    )
    assert whole is not None and whole.pairs[0].adjusted is not None
    assert f"p = {p_text(2 * whole.pairs[0].adjusted)}" in answer(easy)


def test_slices_have_one_order_on_boards_and_comparisons(cast: Cast, client: Client) -> None:
    tasks = Task.objects.filter(revision=cast.rucodeeval.current)
    names = ("level", "domain", "language")
    tasks.update(**dict.fromkeys(names, "10"))
    tasks.filter(number__lt=6).update(**dict.fromkeys(names, "9"))
    results(cast, 4)
    board, compared = (page(client, url) for url in ("/benchmarks/rucodeeval/", PAIR))
    expected = [(name, value) for name in names for value in ("9", "10")]
    for text in (board, compared):
        links = re.findall(r"slice=(\w+)&amp;value=(\w+)", text)
        assert list(dict.fromkeys(links)) == expected


def test_tasks_that_only_one_solves_are_links_and_parts_have_bars(
    cast: Cast, client: Client
) -> None:
    two_levels(cast)
    patterns = {"Half": ("passed", "failed"), "None": ("failed", "timeout"), "Third": PATTERNS[0],
                "First": ("passed",) * 6 + ("failed",) * 6}  # fmt: skip
    for name, pattern in patterns.items():
        cast.judged_submission(cast.entrant(name), pattern, samples=1)
    text = page(client, f"{COMPARE}?entrant=half&entrant=none")
    tasks = Task.objects.filter(revision=cast.rucodeeval.current).order_by("number")
    for number, name in tasks.values_list("number", "external_id"):
        link = f'<a href="/benchmarks/rucodeeval/tasks/{number}/">{name}</a>'
        assert (link in text) == (number % 2 == 0)
    assert "Half: 6 tasks" in text
    assert "too slow" in text and "wrong result" in text
    bars = re.findall(
        r'bar-name">(\w+)</span>.*?bar-value" width="([\d.]+%)".*?bar-number">([\d.]+)',
        page(client, f"{COMPARE}?entrant=first&entrant=third"),
    )
    assert bars[::2] == [("Third", "66.7%", "66.7")] * 2
    assert bars[1::2] == [("First", "100.0%", "100.0"), ("First", "0.0%", "0.0")]


def test_several_that_differ_in_part_are_listed(cast: Cast, client: Client) -> None:
    results(cast, 5)  # The first and the last have equal results, the others differ.

    def told(*numbers: int) -> str:
        query = "&".join(f"entrant=model-{number:02}" for number in numbers)
        return answer(page(client, f"{COMPARE}?{query}"))

    assert "<b>Model 00</b> is better than <b>Model 03</b>" in told(0, 4, 3)
    assert "; <b>Model 04</b> is better than <b>Model 03</b>" in told(0, 4, 3)
    assert "The other differences cannot be distinguished from chance." in told(0, 4, 3)
    assert "Yes: all of these differ by more than chance would explain." in told(2, 3, 0)


def test_an_unknown_slice_is_the_whole_board(cast: Cast, client: Client) -> None:
    results(cast, 4)
    text = page(client, f"{PAIR}&slice=level&value=nothing")
    assert answer(text) == answer(page(client, PAIR))


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("entrant=model-02", "You chose one entrant."),
        ("entrant=model-02&entrant=nobody", "no published result on this board: nobody."),
        ("&".join(f"entrant=model-{n:02}" for n in range(5)), "You chose 5 entrants."),
    ],
    ids=["one", "unknown", "five"],
)
def test_a_choice_that_does_not_fit_says_what_to_do(
    cast: Cast, client: Client, query: str, problem: str
) -> None:
    results(cast, 5)
    assert problem in page(client, f"{COMPARE}?{query}")


def test_a_private_result_is_compared_for_nobody(cast: Cast) -> None:
    results(cast, 2)
    cast.judged_submission(cast.entrant("Hidden Pine"), publish=False)
    for client in (visitor(), visitor(cast.alice), visitor(cast.dora)):
        text = page(client, f"{COMPARE}?entrant=hidden-pine&entrant=model-00")
        assert "Hidden Pine" not in text


def test_a_provisional_result_is_shown_and_not_compared(cast: Cast, client: Client) -> None:
    results(cast, 2)
    cast.judged_submission(cast.entrant("Marl"), ("passed", "not_run", "failed"))
    text = page(client, f"{COMPARE}?entrant=marl&entrant=model-00")
    assert "These cannot be compared yet" in text


def test_rated_boards_compare_scales_and_nothing_by_task(
    cast: Cast, client: Client, tmp_path: Path
) -> None:
    rated_board(rated_panel(cast, tmp_path))
    text = page(client, "/compare/aixbench-nl/")
    assert "of a mark" in answer(text)
    assert "<h2>Scales</h2>" in text
    assert "Tasks that only one solves" not in text
    assert "How generations end" not in text
    assert visitor(cast.dora).get("/compare/aixbench-nl/tasks/0/").status_code == 404
    # A statistical test of a part would not know who rated whom.
    assert "natural_language" not in text
    part = page(client, "/compare/aixbench-nl/?slice=natural_language&value=en")
    assert answer(part) == answer(text)


def test_entrants_with_different_raters_have_no_interval_of_their_difference(
    cast: Cast, client: Client, tmp_path: Path
) -> None:
    rated_board(rated_panel(cast, tmp_path))
    said = "have no interval: their difference may be"
    assert said not in page(client, "/compare/aixbench-nl/")
    board = Board.objects.get()
    score = Score.objects.filter(metric=board.metric, slice="overall").first()
    assert score is not None and score.raters is not None
    score.raters |= {"weights": {"somebody": 1.0}}
    score.save()
    board.facts |= {"raters_differ": True}
    board.save()
    cache.clear()
    text = page(client, "/compare/aixbench-nl/")
    assert said in text
    table = text[text.index(">Differences</h2>") :]
    assert '<span class="under">–</span>' in table[: table.index("</table>")]
