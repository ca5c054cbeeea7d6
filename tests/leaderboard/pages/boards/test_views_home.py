import re
from collections.abc import Callable
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import transaction
from django.db.models import F
from django.test import Client
from django.utils import timezone

from evaluation import jobs
from leaderboard.accounts.models import Entrant
from leaderboard.benchmarks.models import Benchmark, Task
from leaderboard.boards.means import counts_today
from leaderboard.boards.models import ColumnMeans
from leaderboard.pages.shared.score_words import score_shortly
from leaderboard.scores.models import Board, Score, Standing
from leaderboard.submissions.models import Submission
from leaderboard.submissions.publishing import withdraw
from tests.leaderboard.pages.boards.published import page, results
from tests.leaderboard.pages.submissions.transcripts import benchmark, honest_talks, scored
from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.cast import FAMILIES, Cast

pytestmark = pytest.mark.any_database

__all__ = ["benchmark"]


def test_a_fresh_site_tells_staff_what_to_do_and_others_what_comes(cast: Cast) -> None:
    for address in ("/", "/benchmarks/"):
        assert "import_benchmark" in page(visitor(cast.dora), address)
        stranger = page(visitor(), address)
        assert "Nothing to compare yet" in stranger
        assert "import_benchmark" not in stranger
    cast.rucodeeval.save()
    text = page(visitor(), "/")
    assert "No result is published yet" in text
    assert "ruCodeEval" in text


@pytest.fixture
def stored(cast: Cast) -> Submission:
    """A published result; the means by skill are stored by the job that makes the board."""
    rows = results(cast, 3)
    Board.objects.update(wanted=F("wanted") + 1, made_at=None)
    jobs.board(Board.objects.get().pk)
    assert ColumnMeans.objects.filter(view="skill").exists()
    return rows[1]


def test_by_skill_stored_means_are_read_while_they_are_current(
    stored: Submission, client: Client
) -> None:
    shown = page(client, "/?by=skill")
    for row in ColumnMeans.objects.all():
        for cell in row.content["cells"]:
            cell[1] = 0.377
        row.save()
    changed = page(client, "/?by=skill")
    assert (">38</a>" in shown, ">38</a>" in changed) == (False, True)
    ColumnMeans.objects.all().delete()
    assert page(client, "/?by=skill") == shown


CHANGES: dict[str, Callable[[Submission], object]] = {
    "withdrawn": lambda one: withdraw(submission=one),
    "renamed": lambda one: Entrant.objects.filter(pk=one.entrant_id).update(name="New name"),
    "another title": lambda _: Benchmark.objects.update(title="New title"),
    "another skill": lambda _: Benchmark.objects.update(skills=["code quality"]),
    "unlisted": lambda _: Benchmark.objects.update(listed=False),
    "counts later": lambda _: Benchmark.objects.update(counts_from={"base": "2999-01-01"}),
    "scored again": lambda one: Standing.objects.filter(submission=one).update(has_results=False),
    "deleted": lambda one: one.entrant.delete(),
}


def test_by_skill_no_stored_mean_is_stale(cast: Cast, stored: Submission) -> None:
    # A person's pages are not cached; their header has a new token each time.
    client = visitor(cast.charlie)

    def shown_now() -> str:
        return page(client, "/?by=skill").partition("<main")[2]

    before = shown_now()
    for change in CHANGES.values():
        with transaction.atomic():
            change(stored)
            shown = shown_now()
            assert shown != before
            ColumnMeans.objects.all().delete()
            assert shown_now() == shown
            transaction.set_rollback(True)


def test_the_overview_sorts_by_the_benchmark_asked_for_and_has_dashes(
    cast: Cast, client: Client
) -> None:
    """A dash stands for a benchmark that an entrant was not run on."""
    results(cast, 3)
    cast.judged_submission(cast.entrant("Elsewhere"), ("failed",), benchmark=cast.codeif)
    text, asked = page(client, "/"), page(client, f"/?sort={cast.codeif.slug}")
    assert text.count("heat-missing") == 5
    # Each cell leads to its board.
    boards = re.findall(r'<a class="heat[^>]*href="([^"]+)"', text)
    assert set(boards) == {cast.rucodeeval.get_absolute_url(), cast.codeif.get_absolute_url()}
    assert text.index("Model 00</a>") < text.index("Elsewhere</a>")
    assert asked.index("Elsewhere</a>") < asked.index("Model 00</a>")
    for query in ("by=none", "by=language", "by=skill&sort=none"):
        assert "Model 00</a>" in page(client, f"/?{query}")


def test_with_a_filter_the_overview_says_whose_marks_it_shows(cast: Cast, client: Client) -> None:
    results(cast, 3)
    marks = "Bold and ≈ compare all entrants"
    assert [marks in page(client, f"/{query}") for query in ("", "?q=02")] == [False, True]


def test_where_no_order_is_fair_the_overview_says_so(cast: Cast, client: Client) -> None:
    results(cast, 1)
    cast.judged_submission(cast.entrant("Elsewhere"), benchmark=cast.codeif)
    text = page(client, "/")
    assert "No entrant has a result on every benchmark" in text
    assert "benchmarks<span" not in text, "there is no mean"
    assert 'aria-sort="' not in text
    assert text.index("Elsewhere</a>") < text.index("Model 00</a>"), "by name"


def test_a_benchmark_or_setting_counts_in_means_from_the_day_that_staff_set(
    cast: Cast, client: Client
) -> None:
    """A mean names a benchmark that an entrant was not run on, if it counts."""
    results(cast, 1)
    both = cast.entrant("Everywhere")
    cast.judged_submission(both)
    cast.judged_submission(both, benchmark=cast.codeif)
    today = timezone.localdate()
    tomorrow = today + timedelta(days=1)
    # A setting that a release adds waits for its day.
    later = ({"base": None}, {"base": tomorrow.isoformat()}, {"earlier": "2026-05-01"})
    for days, counted in (
        *((days, False) for days in later),
        ({}, True),
        ({"base": today.isoformat()}, True),
    ):
        Benchmark.objects.filter(pk=cast.codeif.pk).update(counts_from=days)
        text = page(client, "/?by=skill")
        assert "Instruction following" in text
        assert text.count("without CodeIF-Bench") == counted, days


@pytest.mark.parametrize("published", [True, False])
def test_an_imported_benchmark_counts_at_once_only_on_a_site_without_results(
    cast: Cast, published: bool
) -> None:
    cast.judged_submission(cast.entrant("First"), publish=published)
    tasks = FAMILIES / "codeif_function/sample/tasks.jsonl"
    words = "codeif_function", str(tasks), "--revision=v0", "--slug=later"
    call_command("import_benchmark", *words, stdout=StringIO())
    later = Benchmark.objects.get(slug="later")
    assert later.counts_from == (dict.fromkeys(later.family.settings) if published else {})
    assert later.current is not None
    board = Board(revision=later.current, setting=next(iter(later.family.settings)))
    assert counts_today(board) is not published


def test_by_skill_dynamic_conversations_stand_beside_and_in_no_mean(
    cast: Cast, client: Client, benchmark: Benchmark
) -> None:
    talked = scored(benchmark, cast.alice, cast.entrant("Talked"), honest_talks())
    cast.publish(talked.submission)
    ife = talked.scores.get(metric="IFE", slice="overall")
    text = page(client, "/?by=skill")
    assert text.count('<th scope="col"') == 1 + 1, "no skill has a result"
    assert f">{score_shortly(ife)}<" in text
    cast.judged_submission(talked.submission.entrant, benchmark=benchmark)
    text = page(client, "/?by=skill")
    assert text.index("Instruction following") < text.index("sort=dynamic")
    assert text.count(f">{score_shortly(ife)}<") == 1
    assert "sort=dynamic" not in page(client, "/") + page(client, "/?by=language")


def test_by_language_a_benchmark_in_one_language_counts_as_a_whole(
    cast: Cast, client: Client
) -> None:
    """This is also so if its scores have no slice by language, as with people's ratings."""
    submission = results(cast, 1)[0]
    assert "By language of the instructions" not in page(client, "/")
    cast.judged_submission(cast.entrant("Elsewhere"), benchmark=cast.codeif)
    text = page(client, "/?by=natural_language")
    assert text.index("English</a>") < text.index("Russian</a>")
    assert text.count("heat-missing") == 2
    Score.objects.filter(slice="language").delete()
    Task.objects.filter(revision=cast.codeif.current).update(language="java")
    text = page(client, "/?by=language")
    row = text[text.index(f"{submission.entrant.name}</a>") :].split("</tr>")[0]
    assert ">67<" in row
    assert row.count("heat-missing") == 1


def test_counts_and_news_are_of_what_is_published(cast: Cast, client: Client) -> None:
    submissions = results(cast, 3)
    cast.judged_submission(cast.entrant("Hidden Pine"), publish=False)
    text = page(client, "/")
    generations = sum(submission.generations_count for submission in submissions)
    assert "<b>3</b> entrants" in text
    assert "<b>3</b> published results" in text
    assert f"<b>{generations}</b> generations judged" in text
    news = text.split("New this week")[1]
    assert news.index("Model 02") < news.index("Model 01") < news.index("Model 00")
