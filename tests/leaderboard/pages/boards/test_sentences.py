import numpy as np
import pytest
from django.utils import translation

from evaluation.engine.metrics import texts
from leaderboard.pages.boards.sentences import Answer, board_answer, tier_sentence
from leaderboard.pages.shared.score_words import p_number
from leaderboard.scores.pairs import packed
from tests.leaderboard.boards.invented import board, ranked, result, score

CA = "conversation accuracy (CA)"
SOLVES_A = "<b>A</b> solves <b>78.4 %</b> of tasks at the first try (95 % interval 73.4–83.4)."


def words(told: Answer) -> str:
    """The sentence, with readable apostrophes."""
    return told.sentence.replace("&#x27;", "'")


def test_without_a_settled_score_no_leader_is_named() -> None:
    assert board_answer(None, []).sentence == "No result is published here yet."
    assert board_answer(board(), [], shown=[]).sentence == "No result is published here yet."
    rows = [result("A", None, score(None, least=0.5, most=0.6))]
    waiting = "No score is final yet: 1 result is waiting for its last verdicts."
    assert board_answer(board(), rows).sentence == waiting


def test_one_entrant_is_compared_with_nobody() -> None:
    told = board_answer(board([]), ranked(0.784))
    assert words(told) == f"{SOLVES_A} There is no other result to compare it with yet."
    assert told.line == ""


def test_a_clear_leader_is_called_one_with_the_largest_p() -> None:
    told = board_answer(board([0.003, 0.0000001]), ranked(0.784, 0.6, 0.5))
    assert words(told) == (
        f"{SOLVES_A} Its lead over every other entrant is more than chance would explain."
    )
    assert told.line == ("Paired tests (164 tasks): p ≤ 0.003, corrected for the number of pairs.")


@pytest.mark.parametrize(
    ("p", "values", "lead", "line"),
    [
        ([0.21, 0.12, 0.001], (0.784, 0.77, 0.75, 0.3), "the next two", "p = 0.21 and 0.12,"),
        ([0.5, 0.4], (0.784, 0.77, 0.75), "all 2 others", "p = 0.50 and 0.40,"),
        ([0.01, 0.2, 0.001], (0.784, 0.77, 0.75, 0.2), "1 of the 3 others", "p = 0.20,"),
        (
            [0.9, 0.8, 0.7, 0.06],
            (0.784, 0.7, 0.69, 0.68, 0.6),
            "all 4 others",
            "p from 0.060 to 0.90",
        ),
        ([1.0, 1.0, 0.998, 1.0], (0.784, 0.7, 0.69, 0.68, 0.6), "all 4 others", ": p = 1.00,"),
    ],
)
def test_a_tie_names_those_that_it_is_with_and_their_p(
    p: list[float], values: tuple[float, ...], lead: str, line: str
) -> None:
    told = board_answer(board(p), ranked(*values))
    assert words(told) == (f"{SOLVES_A} Its lead over {lead} cannot be distinguished from chance.")
    assert line in told.line


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Its lead over the next one cannot be distinguished from chance."),
        ("ru", "Отрыв от ближайшего соперника может быть случайным."),
    ],
)
def test_a_tie_with_the_next_one_counts_nobody(language: str, said: str) -> None:
    with translation.override(language):
        told = board_answer(board([0.21, 0.001]), ranked(0.784, 0.77, 0.3))
    assert words(told).endswith(said)


def test_equal_scores_have_no_leader() -> None:
    told = board_answer(board([1.0]), ranked(0.784, 0.784))
    assert words(told) == (
        "<b>A</b> and <b>B</b> have equal scores: each solves <b>78.4 %</b> of tasks at the "
        "first try. No difference at the top can be distinguished from chance."
    )


@pytest.mark.parametrize("p", [None, [], [0.2], [0.2, 0.1, 0.1]])
def test_facts_that_do_not_belong_to_the_rows_claim_nothing(p: list[float] | None) -> None:
    told = board_answer(board(p), ranked(0.784, 0.77, 0.75))
    assert words(told).endswith(
        "Whether the order can be distinguished from chance is being computed."
    )
    assert told.line == ""
    # Nor if the leader was withdrawn.
    assert "being computed" in words(board_answer(board([0.001] * 2), ranked(0.8, 0.784, 0.6)[1:]))


def test_names_are_escaped_and_a_score_over_requirements_is_not_of_tasks() -> None:
    told = words(board_answer(board([]), [result("<script>{x}%(y)s", 1, score(0.5, n=800))]))
    assert told.startswith("<b>&lt;script&gt;{x}%(y)s</b> solves")
    assert "of the tasks' requirements at the first try" in told


def test_a_metric_that_is_no_share_of_solved_things_is_named() -> None:
    told = board_answer(board([], metric="CA"), [result("A", 1, score(0.771, metric="CA"))])
    assert words(told).startswith(f"<b>A</b> has the highest {CA}: <b>77.1 %</b> (95 % interval ")
    bare = score(0.771, metric="CA", low=None, high=None)
    told = board_answer(board([], metric="CA"), [result("A", 1, bare)])
    assert words(told).startswith(
        f"<b>A</b> has the highest {CA}: <b>77.1 %</b>. There is no other"
    )
    level = [result(name, 1, score(0.771, metric="CA")) for name in "AB"]
    told = board_answer(board([1.0], metric="CA"), level)
    assert words(told).startswith(f"2 entrants share the highest {CA}, <b>77.1 %</b>.")


@pytest.mark.parametrize(
    ("clusters", "cluster", "units"),
    [
        (802, "task", "802 tasks"),
        (95, "repository", "802 tasks in 95 repositories"),
        (9, "project", "802 tasks in 9 projects"),
    ],
)
def test_the_comparison_names_its_clusters(clusters: int, cluster: str, units: str) -> None:
    facts = {"tasks": 802, "clusters": clusters, "cluster": cluster, "test": "swaps", "p": [0.7]}
    told = board_answer(board(facts=facts), ranked(0.784, 0.7))
    assert told.line == f"Paired tests ({units}): p = 0.70, corrected for the number of pairs."


@pytest.mark.parametrize(
    ("clusters", "cluster", "reason"),
    [
        (1, "repository", "Differences are not tested: one repository."),
        (1, "project", "Differences are not tested: one project."),
        (5, "repository", "Too few to test differences: 30 tasks in 5 repositories."),
    ],
)
def test_what_is_not_tested_has_no_p(clusters: int, cluster: str, reason: str) -> None:
    facts = {"tasks": 30, "clusters": clusters, "cluster": cluster, "p": [None]}
    told = board_answer(board(facts=facts), ranked(0.784, 0.7))
    assert told == Answer(told.sentence, reason)
    assert "chance" not in told.sentence and "computed" not in told.sentence


def test_a_score_without_an_interval_says_why() -> None:
    note = texts.FEW_REPOSITORIES(fewest=6, number=5)
    bare = score(0.784, low=None, high=None, note=note)
    told = board_answer(board([0.7]), [result("A", 1, bare), result("B", 2, score(0.7))])
    assert told.line.endswith(str(note))


@pytest.mark.parametrize(
    ("p", "shown"), [(0.21, "0.21"), (0.0504, "0.051"), (0.05, "0.050"), (1.0, "1.00")]
)
def test_p_is_not_rounded_to_the_other_side_of_five_per_cent(p: float, shown: str) -> None:
    assert p_number(p) == shown


def test_a_sentence_above_filtered_rows_speaks_of_these_with_the_boards_tests() -> None:
    p = np.array([[1, 0.9, 0.01], [0.9, 1, 0.2], [0.01, 0.2, 1]])
    rows, whole = ranked(0.784, 0.77, 0.6), board([0.9, 0.01], pairs=packed(p))
    told = board_answer(whole, rows, shown=rows[1:])
    assert words(told).startswith("Of the 2 entrants shown: <b>B</b> solves <b>77.0 %</b>")
    assert "Its lead over the other entrant cannot be distinguished from chance." in words(told)
    assert "p = 0.20" in told.line
    apart = board_answer(whole, rows, shown=[rows[0], rows[2]])
    assert "is more than chance would explain." in words(apart)
    one = words(board_answer(whole, rows, shown=rows[1:2]))
    assert one.startswith("Of the 1 entrant shown: <b>B</b> solves <b>77.0 %</b> of tasks")
    assert one.endswith("(95 % interval 72.0–82.0).")
    nobody = words(board_answer(whole, rows, shown=[]))
    assert nobody.startswith("No entrant matches the filters. Of all 3 entrants: <b>A</b> solves")


def test_a_board_says_which_passes_are_proved() -> None:
    proved = "code: 1,200; in a process or under a user that this code shares, checked but not "
    assert f"{proved}proved: 2." in tier_sentence(1200, 2, 0)
    assert "not proved: 2, of which a person has looked at 1." in tier_sentence(0, 2, 1)
    assert tier_sentence(0, 0, 0) == ""
