import html
import re

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from evaluation.engine.metrics import METRICS_VERSION
from leaderboard.boards.means import store_means
from leaderboard.pages.shared.score_words import compact_date
from leaderboard.submissions.models import Submission
from tests.leaderboard.pages.boards.published import page, results, two_levels
from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database

HERE = "generated here from the team's endpoint, and judged here"
UPLOADED = "judged here from an upload"


def test_without_entrants_the_list_says_how_to_begin(db: None, client: Client) -> None:
    assert "No entrant has a published result yet" in page(client, "/entrants/")


def test_private_submissions_are_seen_by_the_team_and_marked(cast: Cast) -> None:
    entrant = cast.entrant("Larch", description="A model\u200b of our own.")
    earlier, newest = cast.judged_submission(entrant), cast.judged_submission(entrant)
    private = cast.judged_submission(entrant, ("failed",), publish=False)
    ours, theirs = (page(visitor(p), "/entrants/larch/") for p in (cast.bob, cast.charlie))
    assert f"/submissions/{private.pk}/" in ours
    assert '<span class="tag">private</span>' in ours
    assert f"/submissions/{private.pk}/" not in theirs
    assert "private" not in theirs
    assert 'A model<span class="codepoint" data-code="U+200B">\u200b</span> of our own.' in theirs
    assert "U+200B ZERO WIDTH SPACE" in theirs
    # Each result is shown once.
    for submission in (earlier, newest):
        assert theirs.count(f'href="{submission.get_absolute_url()}"') == 1
    assert "Other submissions" in theirs


@pytest.mark.parametrize("count", [3, 12])
def test_an_entrant_asks_as_many_questions_with_3_submissions_as_with_12(
    cast: Cast, client: Client, django_assert_num_queries: DjangoAssertNumQueries, count: int
) -> None:
    entrant = cast.entrant("Larch")
    cast.judged_submission(entrant)
    for _ in range(count - 1):
        submission = cast.judged_submission(entrant, publish=False)
        Submission.objects.filter(pk=submission.pk).update(visibility="published")
    store_means()
    with django_assert_num_queries(13):
        page(client, "/entrants/larch/")


def test_the_latest_stand_first_when_asked_and_an_entrant_tells_its_rank(
    cast: Cast, client: Client
) -> None:
    cast.rucodeeval.skills = ["algorithms"]
    cast.rucodeeval.save()
    results(cast, 3)
    by_name, latest = page(client, "/entrants/"), page(client, "/entrants/?sort=latest")
    assert by_name.index("Model 00") < by_name.index("Model 02")
    assert latest.index("Model 02") < latest.index("Model 00")
    text = page(client, "/entrants/model-02/")
    assert "of 3" in text
    # Means are compared with the median of the field.
    skills = text[text.index("<h2>Means</h2>") :]
    assert "Algorithms" in skills
    assert "100.0" in skills and "median 66.7" in skills


@pytest.mark.parametrize(("asked_here", "said"), [(True, HERE), (False, UPLOADED)])
def test_the_mark_of_a_result_tells_who_generated(
    cast: Cast, client: Client, asked_here: bool, said: str
) -> None:
    submission = cast.judged_submission(cast.entrant("Larch"))
    Submission.objects.update(asked_here=asked_here)
    for address in ("/entrants/larch/", "/teams/northwood/results/", submission.get_absolute_url()):
        marks = re.findall(r'class="hallmark.*?aria-label="([^"]+)', page(client, address))
        assert [html.unescape(mark) for mark in marks] == [said], address


def test_ranks_over_time_begin_with_the_second_edition(cast: Cast, client: Client) -> None:
    cast.judged_submission(cast.entrant("Larch"), ("failed",))
    assert "Ranks over time" not in page(client, "/entrants/larch/")
    better = cast.judged_submission(cast.entrant("Better"), ("passed",))
    text = page(client, "/entrants/larch/")
    course = text[text.index("Ranks over time: ruCodeEval") :]
    assert f"metrics {METRICS_VERSION}</span>" in course
    today = compact_date(timezone.now())
    assert f"<span>{today}</span><span>{today}</span></p>" in course
    assert course.index('<td class="num">1</td>') < course.index('<td class="num">2</td>')
    Submission.objects.filter(entrant__slug="larch").update(visibility="private")
    assert "Ranks over time" not in page(visitor(cast.alice), "/entrants/larch/")
    better.delete()


def test_no_field_of_an_unlisted_benchmark_is_told_to_its_teams(cast: Cast) -> None:
    cast.rucodeeval.skills = ["algorithms"]
    cast.rucodeeval.listed = False
    cast.rucodeeval.save()
    submission = cast.judged_submission(cast.entrant("Larch"), ("passed",))
    fen = cast.entrant("Fen", team=cast.fenland)
    cast.judged_submission(fen, ("failed",))
    text = page(visitor(cast.alice), "/entrants/larch/")
    assert "<h2>Means</h2>" not in text
    # Its result is listed with its score, without a rank on a board that nobody else sees.
    assert f'href="{submission.get_absolute_url()}"' in text
    assert 'href="/benchmarks/rucodeeval/' not in text
    cast.rucodeeval.listed = True
    cast.rucodeeval.save()
    assert "<h2>Means</h2>" in page(visitor(cast.alice), "/entrants/larch/")


def test_the_best_and_the_worst_part_have_intervals(cast: Cast, client: Client) -> None:
    two_levels(cast)
    cast.judged_submission(cast.entrant("Larch"), ("passed",) * 6 + ("failed",) * 6, samples=1)
    text = page(client, "/entrants/larch/")
    assert "best in easy: 100.0 (54.1–100.0)" in text
    assert "worst in hard: 0.0 (0.0–45.9)" in text
    cast.judged_submission(cast.entrant("Plover"), ("failed",), samples=1)
    assert "best in" not in page(client, "/entrants/plover/")


def test_a_team_has_a_public_page_without_persons(cast: Cast, client: Client) -> None:
    entrant = cast.entrant("Larch")
    assert client.get("/teams/northwood/results/").status_code == 404
    cast.judged_submission(entrant)
    cast.judged_submission(cast.entrant("Hidden Pine"), publish=False)
    text = page(client, "/teams/northwood/results/")
    assert "Larch" in text and "66.7" in text
    for hidden in ("alice", "bob", "Hidden Pine"):
        assert hidden not in text
    assert "Hidden Pine" in page(visitor(cast.bob), "/teams/northwood/results/")
    assert "/teams/northwood/results/" in page(client, "/entrants/larch/")
