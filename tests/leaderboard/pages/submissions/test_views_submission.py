"""Tests of the page of a submission, its live part, and what may be done there."""

import re
from collections.abc import Callable
from datetime import timedelta
from itertools import product

import pytest
from django.db.models import F
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import DjangoAssertNumQueries

from evaluation.engine.instructions import BASE_SET
from evaluation.engine.records import Integrity, Status
from evaluation.engine.sandbox.texts import WAITS_FOR_SLOT
from evaluation.models import Chunk, Evaluation, Verdict, Worker
from evaluation.state.progress import group_of
from evaluation.state.scheduling import claim_chunk, renew_lease
from evaluation.work.actions import judge_again, open_evaluation
from leaderboard.benchmarks.models import Benchmark, Revision, TaskExclusion
from leaderboard.pages.submissions.views.results import GROUPS, JudgedGeneration, remark_on
from leaderboard.pages.templatetags.assay import lacks_parts
from leaderboard.scores.boards import make_board
from leaderboard.scores.models import Board, Score, Standing
from leaderboard.submissions.models import Submission, Visibility
from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.cast import Cast
from tests.support.conversations import multi_turn

pytestmark = pytest.mark.any_database

QUERIES = 18


@pytest.fixture
def private(cast: Cast) -> Submission:
    """A submission of Northwood's, judged and not published."""
    return cast.judged_submission(cast.entrant(), publish=False)


@pytest.fixture
def judging(cast: Cast) -> Submission:
    """A submission of Northwood's: 5 of 36 generations are judged, and a worker is alive."""
    submission = cast.submission(cast.entrant())
    evaluation = open_evaluation(submission=submission)
    cast.judge(evaluation, least=5)
    now = timezone.now()
    Evaluation.objects.filter(pk=evaluation.pk).update(started=now - timedelta(seconds=10))
    Worker.objects.create(name="w", host="h", queues=["python"], started=now, seen=now)
    return submission


def test_strangers_are_offered_nothing_to_do_and_no_names(cast: Cast) -> None:
    page = visitor().get(cast.judged_submission(cast.entrant()).get_absolute_url()).text
    assert ("Withdraw" in page, "Hidden tests" in page, "by alice" in page) == (False,) * 3


def test_the_board_of_a_result_is_that_of_its_own_revision(cast: Cast) -> None:
    submission, benchmark = cast.judged_submission(cast.entrant()), cast.rucodeeval
    here = f'href="{benchmark.get_absolute_url()}?setting=base'
    assert visitor().get(submission.get_absolute_url()).text.count(f'{here}"') == 2
    later = Revision.objects.create(benchmark=benchmark, label="later", sha256="0" * 64)
    Benchmark.objects.filter(pk=benchmark.pk).update(current=later)
    page = visitor().get(submission.get_absolute_url()).text
    label = submission.revision.label
    assert (page.count(f'{here}"'), page.count(f'{here}&amp;revision={label}"')) == (0, 2)


def test_who_is_not_signed_in_comes_back_to_the_page(private: Submission) -> None:
    answer = visitor().post(reverse("submission-publish", args=[private.pk]))
    assert answer["Location"].endswith(f"?next=/submissions/{private.pk}/")


def test_what_is_not_judged_yet_cannot_be_published(cast: Cast, judging: Submission) -> None:
    page = visitor(cast.alice).post(reverse("submission-publish", args=[judging.pk]), follow=True)
    judging.refresh_from_db()
    assert judging.visibility == Visibility.PRIVATE
    assert "There is no finished result to publish yet." in page.text


def test_cancelling_stops_judging_once(cast: Cast, judging: Submission) -> None:
    url = reverse("submission-cancel", args=[judging.pk])
    assert "cancelled at 5 of 36" in visitor(cast.bob).post(url, follow=True).text
    assert judging.evaluations.get().state == "cancelled"
    assert "nothing left to cancel" in visitor(cast.bob).post(url, follow=True).text


def test_a_result_stands_while_it_is_judged_again(cast: Cast, private: Submission) -> None:
    again = judge_again(submission=private)
    client = visitor(cast.bob)
    page = client.get(private.get_absolute_url()).text
    assert "It is being judged again." in page
    assert ("hx-trigger" in page, page.count(">2/3</td>")) == (True, 12)
    for person, state in ((cast.bob, "judging"), (cast.dora, "cancelled")):
        visitor(person).post(reverse("submission-cancel", args=[private.pk]))
        again.refresh_from_db()
        assert again.state == state
    assert "hx-trigger" not in client.get(private.get_absolute_url()).text


def test_steps_say_how_far_it_is(cast: Cast, judging: Submission) -> None:
    page = visitor(cast.bob).get(judging.get_absolute_url()).text
    assert "36 generations, no problems" in page
    assert re.search(r"5 of 36 · (at most )?about [\d a-z]+ left, probably done by \d\d:\d\d", page)
    assert "13 % judged" in page


def test_the_live_part_goes_on_while_judging_and_keeps_the_filter(
    cast: Cast, judging: Submission
) -> None:
    live = reverse("submission-live", args=[judging.pk])
    part = visitor(cast.bob).get(live, {"verdict": "wrong"})
    assert part.status_code == 200
    assert "&amp;verdict=wrong" in part.text
    assert "<form" not in part.text


def test_staff_see_what_holds_the_slots_and_teams_only_their_own_submissions(
    cast: Cast, judging: Submission
) -> None:
    theirs = cast.submission(cast.entrant("Sedge", cast.fenland))
    Submission.objects.filter(pk=judging.pk).update(visibility="published")
    first = judging.evaluations.get().chunks.order_by("number")[0]
    chunk = claim_chunk(pk=first.pk, owner="w", host="h")
    assert chunk is not None
    shares = [f"submission {judging.pk}", f"submission {theirs.pk}", "a check"]
    assert renew_lease(chunk=chunk, waits_for=WAITS_FOR_SLOT(used=3, slots=3), shares=shares)
    for person, own in ((cast.bob, judging), (cast.charlie, theirs)):
        page = visitor(person).get(judging.get_absolute_url()).text
        assert "Waiting for a free slot on this host: 3 of 3 in use." in page
        assert f"Your submissions that hold slots: {own.pk}." in page
        assert "Others that hold slots, of other teams or of the site: 2." in page
        assert "a check" not in page
    assert visitor().get(judging.get_absolute_url()).text.count("of the site: 3.") == 1
    page = visitor(cast.dora).get(judging.get_absolute_url()).text
    assert f"the slots are held by {', '.join(sorted(shares))}" in page


def test_the_live_part_is_not_sent_again_unchanged(cast: Cast, judging: Submission) -> None:
    # What runs grows, and with it the time left.
    Evaluation.objects.update(started=None)
    Chunk.objects.update(claimed=None)
    client, live = visitor(cast.bob), reverse("submission-live", args=[judging.pk])
    page = client.get(judging.get_absolute_url()).text
    seen = page.partition("seen=")[2].partition('"')[0]
    unchanged = client.get(live, {"seen": seen})
    assert (unchanged.status_code, unchanged.templates) == (204, [])
    cast.judge(judging.evaluations.get(), least=0)
    Worker.objects.all().delete()
    assert client.get(live, {"seen": seen}).status_code == 200


def test_the_last_live_part_brings_the_new_buttons(cast: Cast, private: Submission) -> None:
    part = visitor(cast.bob).get(reverse("submission-live", args=[private.pk]))
    assert (part.status_code, "hx-trigger" in part.text) == (286, False)
    assert 'hx-swap-oob="true"' in part.text
    assert "submission-publish" not in part.text
    assert reverse("submission-publish", args=[private.pk]) in part.text


def test_several_samples_tell_the_error_of_tasks_from_that_of_runs(cast: Cast) -> None:
    several = cast.judged_submission(cast.entrant(), ("passed", "failed", "passed"), samples=2)
    page = visitor(cast.bob).get(several.get_absolute_url()).text
    assert "from run to run" not in page
    assert "is not divided into the part of the tasks and that of the runs" in page
    scores = several.evaluations.get().scores.filter(metric="pass@1", slice="overall")
    scores.update(error_tasks=0.05, error_runs=0.02)
    page = visitor(cast.bob).get(several.get_absolute_url()).text
    assert "5.0 from the choice of tasks, 2.0 from run to run." in page
    assert "is not divided" not in page
    single = cast.judged_submission(cast.entrant("Marl"), ("passed", "failed"), samples=1)
    page = visitor(cast.bob).get(single.get_absolute_url()).text
    assert "from run to run" not in page and "is not divided" not in page


@pytest.mark.parametrize(("setting", "count"), [("two_round", 60), ("multi_turn", 300)])
def test_instructions_and_turns_are_no_samples(setting: str, count: int) -> None:
    submission = Submission(setting=setting, generations_count=count)
    scores = [Score(metric="pass@1", value=0.5, low=0.4, high=0.6, n=60, tasks=12)]
    assert not lacks_parts(scores, submission)
    submission.setting, submission.generations_count = "base", 120
    assert lacks_parts(scores, submission)


def test_open_reviews_leave_bounds(cast: Cast) -> None:
    submission = cast.judged_submission(cast.entrant(), integrity="suspect", publish=False)
    page = visitor(cast.bob).get(submission.get_absolute_url()).text
    assert "until all verdicts are final" in page
    assert "2 passes are under review." in page


def test_results_are_scores_with_intervals_and_passed_of_judged_by_task(
    cast: Cast, private: Submission
) -> None:
    page = visitor(cast.bob).get(private.get_absolute_url()).text
    score = private.evaluations.get().scores.get(metric="pass@1", slice="overall")
    assert score.low is not None and score.high is not None
    assert f"{score.low * 100:.1f}–{score.high * 100:.1f}" in page
    assert page.count(">2/3</td>") == 12
    assert 'aria-label="2 passed, 1 wrong result"' in page


def test_tasks_are_filtered_by_verdict(cast: Cast) -> None:
    pattern = ["passed"] * 35 + ["timeout"]
    submission = cast.judged_submission(cast.entrant(), pattern)
    page = visitor().get(submission.get_absolute_url(), {"verdict": "slow"}).text
    assert page.count('<svg class="dots"') == 1
    assert 'aria-label="2 passed, 1 too slow"' in page


@pytest.mark.parametrize(
    ("tier", "sentence"),
    [
        ("outside", "Every pass was decided out of reach of the program&#x27;s code."),
        ("shared", "Of 24 passes, 0 were decided out of reach of the program&#x27;s code; 24 ran"),
    ],
)
def test_tiers_of_passes_are_said(cast: Cast, tier: str, sentence: str) -> None:
    submission = cast.judged_submission(cast.entrant(), ("passed", "passed", "failed"), tier=tier)
    page = visitor().get(submission.get_absolute_url()).text.replace("program's", "program&#x27;s")
    assert sentence in page
    task = submission.revision.tasks.earliest("number")
    words = submission.evaluations.get().verdicts.earliest("pk").get_tier_display()
    address = reverse("submission-task", args=[submission.pk, task.number])
    assert visitor().get(address).text.count(words.replace("'", "&#x27;")) == 3


def test_tasks_without_generations_are_counted_and_listed(cast: Cast, private: Submission) -> None:
    client, address = visitor(cast.bob), private.get_absolute_url()
    missing = f"{address}?verdict=missing"
    page = client.get(address).text
    assert missing not in page
    assert "Every task has generations" in client.get(missing).text

    first, second, excluded = private.revision.tasks.order_by("number")[:3]
    for task in (first, second, excluded):
        Verdict.objects.filter(generation__task=task).delete()
        private.generations.filter(task=task).delete()
    TaskExclusion.objects.create(task=excluded, reason="broken", decided_by=cast.dora)
    page = client.get(address).text
    assert 'id="only-missing"' in page
    assert f'{missing}#tasks">Tasks without generations</a></dt><dd>2</dd>' in page
    listed = client.get(missing).text
    assert re.findall(r'id="task-(\d+)"', listed) == [str(first.number), str(second.number)]
    assert listed.count('class="missing">no generations') == 2
    assert "Each missing sample counts as wrong." in listed


@pytest.mark.parametrize("samples", [3, 30])
def test_the_number_of_queries_does_not_grow(
    cast: Cast, samples: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    submission = cast.judged_submission(cast.entrant(), samples=samples)
    client = visitor(cast.bob)
    with django_assert_num_queries(QUERIES):
        client.get(submission.get_absolute_url())


def test_filters_and_counts_agree_on_groups(private: Submission) -> None:
    verdict = Verdict.objects.filter(pk=private.evaluations.get().verdicts.earliest("pk").pk)
    for status, integrity in product(Status, Integrity):
        verdict.update(status=status, integrity=integrity)
        groups = [group.name for group in GROUPS if verdict.filter(group.verdicts)]
        assert groups == [group_of(status, integrity)]


def fared(status: str, integrity: str = "clean") -> JudgedGeneration:
    return JudgedGeneration(1, status, integrity, 20)


@pytest.mark.parametrize(
    ("generations", "words"),
    [
        ([fared("passed")] * 10, ""),
        ([fared("timeout")] * 6 + [fared("passed")] * 4, "6 of 10 ran past 4 s."),
        ([fared("timeout")] * 5 + [fared("passed")] * 5, ""),
        ([fared("compile_error")] * 3, "3 of 3 do not compile."),
        ([fared("passed", "suspect")], "1 pass is under review."),
        ([fared("not_run")], "1 could not be run yet because of a failure on our side."),
        ([], ""),
    ],
)
def test_remarks_name_what_stands_out(generations: list[JudgedGeneration], words: str) -> None:
    assert remark_on(generations, cpu_seconds=4.0) == words


def changed(page: str) -> dict[str, list[int]]:
    """The tasks below each heading of the list of changes."""
    card = page.partition('id="changes"')[2].partition("</section>")[0]
    parts = re.findall(r"<h3>([^<]+)</h3>(?:<ul[^>]*>(.*?)</ul>)?", card, re.DOTALL)
    return {title: [int(n) for n in re.findall(r"changed-(\d+)", links)] for title, links in parts}


def test_a_team_sees_what_changed_since_its_previous_submission(cast: Cast) -> None:
    entrant = cast.entrant()
    first = cast.judged_submission(entrant, ("passed", "failed", "failed"), samples=1)
    second = cast.judged_submission(entrant, ("passed", "passed", "failed", "failed"), samples=1)
    page = visitor(cast.bob).get(second.get_absolute_url()).text
    assert changed(page) == {"4 tasks are better": [1, 4, 5, 8], "2 tasks are worse": [3, 6]}
    assert "6 tasks are the same" in page and first.get_absolute_url() in page
    for person in (None, cast.charlie):
        assert cast.fenland and changed(visitor(person).get(second.get_absolute_url()).text) == {}
    assert changed(visitor(cast.bob).get(first.get_absolute_url()).text) == {}


def test_another_entrants_result_is_not_compared(cast: Cast) -> None:
    cast.judged_submission(cast.entrant("Spruce"), ("failed",), samples=1, publish=False)
    own = cast.judged_submission(cast.entrant(), ("passed",), samples=1)
    assert changed(visitor(cast.bob).get(own.get_absolute_url()).text) == {}


@pytest.mark.parametrize(
    ("before", "now", "words"),
    [
        (("failed",), ("passed",), "by +100.0 points"),
        (("failed", "passed"), ("passed", "failed", "passed"), "which chance alone explains"),
    ],
)
def test_changes_that_chance_explains_are_said_so(
    cast: Cast, before: tuple[str, ...], now: tuple[str, ...], words: str
) -> None:
    entrant = cast.entrant()
    cast.judged_submission(entrant, before, samples=1, publish=False)
    later = cast.judged_submission(entrant, now, samples=1, publish=False)
    page = visitor(cast.bob).get(later.get_absolute_url()).text
    assert words in page
    assert ("more than chance explains" in page) == (len(before) == 1)


def test_failed_tasks_come_first(cast: Cast) -> None:
    row = cast.judged_submission(cast.entrant(), ("passed", "failed", "passed"), samples=1)
    numbers = re.findall(r'id="task-(\d+)"', visitor().get(row.get_absolute_url()).text)
    assert numbers[:4] == ["1", "4", "7", "10"] and numbers[4:7] == ["0", "2", "3"]


def without_generations(cast: Cast) -> Submission:
    submission = cast.submission(cast.entrant(), samples=1)
    submission.generations.filter(task__number=5).delete()
    evaluation = open_evaluation(submission=submission)
    cast.judge(evaluation, ("passed",))
    cast.score(evaluation)
    return submission


def failing_instructions(cast: Cast) -> Submission:
    def fares(_turn: int, name: str, task: int) -> str:
        return "failed" if name not in ("", BASE_SET) and task == 5 else "passed"

    return multi_turn(cast, cast.entrant(), fares)


@pytest.mark.parametrize("made", [without_generations, failing_instructions])
def test_tasks_that_cost_points_without_a_failed_run_come_first(
    cast: Cast, made: Callable[[Cast], Submission]
) -> None:
    submission, client = made(cast), visitor(cast.bob)
    page = client.get(submission.get_absolute_url()).text
    assert re.findall(r'id="task-(\d+)"', page)[:3] == ["5", "0", "1"]
    first, failed = (reverse("submission-task", args=[submission.pk, n]) for n in (0, 5))
    assert f'data-key="ArrowRight" href="{failed}"' in client.get(first).text


def test_a_published_result_says_its_rank_once_the_board_has_it(cast: Cast) -> None:
    cast.judged_submission(cast.entrant("Heron", cast.fenland), ("failed",), samples=1)
    row = cast.judged_submission(cast.entrant(), ("passed",), samples=1)
    Standing.objects.filter(submission=row).delete()
    Board.objects.update(wanted=F("made") + 1)
    page = visitor(cast.bob).get(row.get_absolute_url()).text
    assert "its rank is being computed" in page and "data-live hx" in page
    assert "its rank" not in visitor().get(row.get_absolute_url()).text
    for board in Board.objects.all():
        make_board(board=board)
    page = visitor(cast.bob).get(row.get_absolute_url()).text
    assert "rank 1 of 2" in page and "data-live hx" not in page


def would_be(page: str) -> list[int]:
    note = page.partition('id="would-be"')[2].partition("</p>")[0]
    return [int(n) for n in re.findall(r"row (\d+) of (\d+)", note)[0]] if note else []


def test_a_team_sees_the_row_that_a_private_result_would_get(cast: Cast) -> None:
    cast.judged_submission(cast.entrant("Heron", cast.fenland), ("passed",), samples=1)
    cast.judged_submission(cast.entrant("Plover", cast.fenland), ("failed",), samples=1)
    mine = cast.entrant()
    private = cast.judged_submission(mine, ("passed", "failed"), samples=1, publish=False)
    address = private.get_absolute_url()
    assert would_be(visitor(cast.bob).get(address).text) == [2, 3]
    published = cast.judged_submission(mine, ("failed",), samples=1)
    page = visitor(cast.bob).get(address).text
    assert would_be(page) == [2, 3]
    assert "It would replace this entrant's published result." in page
    assert would_be(visitor(cast.bob).get(published.get_absolute_url()).text) == []
    assert visitor(cast.charlie).get(address).status_code == 404
