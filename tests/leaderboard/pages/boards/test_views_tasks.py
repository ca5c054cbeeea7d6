import pytest
from django.test import Client

from leaderboard.benchmarks.models import Task
from leaderboard.benchmarks.public import title_of
from leaderboard.pages.shared.public import fields_in
from tests.leaderboard.pages.boards.published import page, results
from tests.leaderboard.pages.submissions.visits import ESCAPED, SCRIPT
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database

TASKS = "/benchmarks/rucodeeval/tasks/"


def test_solve_rates_are_means_over_settled_published_results(cast: Cast, client: Client) -> None:
    results(cast, 3)  # 2/3, 1/3 and all of every task
    cast.judged_submission(cast.entrant("Private"), ("failed",), publish=False)
    cast.judged_submission(cast.entrant("Open"), ("not_run", "failed", "failed"))
    text = page(client, TASKS + "0/")
    assert "solve rate <b>66.7 %</b>" in text
    assert "over <b>3</b> published results" in page(client, TASKS)


def test_without_results_a_solve_rate_is_a_dash(cast: Cast, client: Client) -> None:
    cast.rucodeeval.save()
    assert "heat-missing" in page(client, TASKS)
    assert 'solve rate <b><span class="missing">–</span></b>' in page(client, TASKS + "0/")
    assert client.get(TASKS + "999/").status_code == 404


def test_the_hardest_task_stands_first_when_asked(cast: Cast, client: Client) -> None:
    tasks = cast.rucodeeval.current.tasks.count()
    pattern = ("failed",) * 3 * (tasks - 1) + ("passed",) * 3
    cast.judged_submission(cast.entrant("Odd"), pattern)
    last = Task.objects.get(number=tasks - 1)
    first = Task.objects.get(number=0)
    hardest, easiest = (page(client, f"{TASKS}?sort={sort}") for sort in ("hardest", "easiest"))
    assert hardest.index(first.title) < hardest.index(last.title)
    assert easiest.index(last.title) < easiest.index(first.title)


def test_a_task_shows_its_public_inputs_as_text(cast: Cast, client: Client) -> None:
    """An instruction names the inputs that fill its places."""
    task = Task.objects.get(revision=cast.rucodeeval.current, number=0)
    task.public = {"entry_point": "f", "function": f"def f():\n    {SCRIPT}", "more": {"a": SCRIPT},
                   "instruction": "Complete {function} or {this}."}  # fmt: skip
    task.save()
    text = page(client, TASKS + "0/")
    assert SCRIPT not in text
    assert text.count(ESCAPED) == 2
    assert "Complete [Given function] or {this}." in text


def test_a_strip_leads_to_each_published_submissions_verdicts(cast: Cast, client: Client) -> None:
    one, two = results(cast, 2)
    private = cast.judged_submission(cast.entrant("Private"), publish=False)
    text = page(client, TASKS + "1/")
    assert f"/submissions/{one.pk}/tasks/1/" in text
    assert f"/submissions/{two.pk}/tasks/1/" in text
    assert f"/submissions/{private.pk}/" not in text
    assert "2 passed, 1 wrong result" in text


@pytest.mark.parametrize(
    ("public", "title"),
    [
        ({"entry_point": "below_zero", "instruction": "Write"}, "below_zero"),
        ({"prompt": "Write a python function called 'dice_ways' that counts."}, "dice_ways"),
        ({"instruction": "Read a file.\nClose it."}, "Read a file."),
        ({}, ""),
    ],
)
def test_a_task_is_called_by_its_functions_name_or_first_line(
    public: dict[str, object], title: str
) -> None:
    assert title_of(public) == title


def test_inputs_are_laid_out_by_what_they_are() -> None:
    public = {
        "function": "import re\n\ndef f():",
        "prompt": "Write it.",
        "requirements": {"Style": "Be short."},
        "turns": ["Style"],
        "test_count": 6,
        "context": "",
    }
    kinds = [field.kind for field in fields_in(public)]
    assert kinds == ["code", "text", "texts", "list", "fact"]


def test_a_task_has_at_most_sixty_marks_of_an_entrant(cast: Cast, client: Client) -> None:
    cast.judged_submission(cast.entrant(), ("passed",), samples=64)
    text = page(client, TASKS + "0/")
    assert (text.count('href="#mark-passed" class="mark-passed" x="'), "and 4 more" in text) == (
        60,
        True,
    )
    assert ">64/64<" in text
