"""Tests of generations that teams show to everyone, for a few tasks and under a licence."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import pytest
from django.contrib.admin.models import LogEntry
from django.db.models import QuerySet
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from leaderboard.accounts.models import Team
from leaderboard.annotation.campaigns import create_campaign
from leaderboard.benchmarks.models import Benchmark, ShownTask, Task
from leaderboard.benchmarks.shown import MOST, NotShowable, show_tasks
from leaderboard.scores.boards import make_board, want_board
from leaderboard.submissions.models import Consent, Generation, Submission, Visibility
from leaderboard.submissions.publishing import hide_generations, withdraw
from tests.leaderboard.pages.submissions.visits import ESCAPED, SCRIPT, sample, visitor
from tests.leaderboard.site_admin.test_admin import act, given_right
from tests.support.cast import Cast
from tests.support.conversations import multi_turn, passing

pytestmark = pytest.mark.any_database

LICENCE = "CC-BY-4.0"
LINK = '<a rel="license" href="https://spdx.org/licenses/CC-BY-4.0.html">CC BY 4.0</a>'
TASKS = "/benchmarks/codeif-function/tasks/"


def tasks(benchmark: Benchmark, *numbers: int) -> QuerySet[Task]:
    return Task.objects.filter(revision=benchmark.current, number__in=numbers)


@pytest.fixture
def shown(cast: Cast) -> ShownTask:
    """The first task of a benchmark whose tests are public."""
    return show_tasks(tasks=tasks(cast.codeif, 0), user=cast.dora)[0]


def judged(cast: Cast, name: str, team: Team | None = None, text: str = "") -> Submission:
    entrant = cast.entrant(name, team)
    text = text or f"def f():  # by {name}\n"
    return cast.judged_submission(
        entrant, ("passed", "failed"), benchmark=cast.codeif, samples=1, text=text, publish=False
    )


def publish(submission: Submission, *shown: ShownTask, licence: str = LICENCE) -> None:
    """Publishes the result by the form on its page, as its team does."""
    owner = submission.entrant.team.memberships.all()[0].user
    data = {"licence": licence, "shown": [one.pk for one in shown]}
    visitor(owner).post(reverse("submission-publish", args=[submission.pk]), data)
    make_board(board=want_board(submission=submission))


def page(address: str, person: object = None) -> str:
    answer = visitor(person).get(address)  # type: ignore[arg-type]  # a person of the cast
    return answer.text if answer.status_code == 200 else ""


def of_task(submission: Submission, number: int = 0) -> str:
    return reverse("submission-task", args=[submission.pk, number])


@pytest.fixture
def larch(cast: Cast, shown: ShownTask) -> Submission:
    """A published result whose generation of the shown task everyone may read."""
    submission = judged(cast, "Larch")
    publish(submission, shown)
    return submission


def is_shown(submission: Submission) -> bool:
    """Whether a visitor sees it, on the two pages that could show it and as a file; these must
    agree."""
    mark = f"# by {submission.entrant.name}"
    generation = submission.generations.get(task__number=0)
    file = reverse("answer", args=[submission.pk, generation.pk])
    found = [mark in page(address) for address in (f"{TASKS}0/", of_task(submission), file)]
    assert len({*found}) == 1
    return found[0]


def test_everyone_reads_them_with_author_and_licence(cast: Cast, larch: Submission) -> None:
    for reader in (None, cast.charlie, cast.bob, cast.dora):
        on_board, of_larch = page(f"{TASKS}0/", reader), page(of_task(larch), reader)
        for text in (on_board, of_larch):
            assert "# by Larch" in text, reader
            assert f"shown by Northwood, licence {LINK}" in text, reader
        assert f'<a href="{of_task(larch)}">generations</a>, CC BY 4.0' in on_board, reader
    # Only generations of shown tasks are read.
    for address in (f"{TASKS}1/", of_task(larch, 1)):
        assert page(address)
        assert "# by Larch" not in page(address)


def test_a_team_that_does_not_agree_shows_nothing(cast: Cast, shown: ShownTask) -> None:
    submission = judged(cast, "Larch")
    publish(submission, shown, licence="")
    assert not is_shown(submission)


def test_a_result_that_was_published_earlier_is_not_shown(cast: Cast) -> None:
    submission = judged(cast, "Larch")
    publish(submission)
    marks = show_tasks(tasks=tasks(cast.codeif, 0), user=cast.dora)
    assert "submission-publish" not in page(submission.get_absolute_url(), cast.alice)
    publish(submission, *marks)
    assert (is_shown(submission), Consent.objects.count()) == (False, 0)


def test_a_team_agrees_only_to_the_tasks_that_its_form_listed(cast: Cast, shown: ShownTask) -> None:
    submission = judged(cast, "Larch")
    assert f'name="shown" value="{shown.pk}"' in page(submission.get_absolute_url(), cast.bob)
    show_tasks(tasks=tasks(cast.codeif, 1), user=cast.dora)
    publish(submission, shown)
    assert is_shown(submission)
    assert "# by Larch" not in page(f"{TASKS}1/")


def test_a_task_that_is_marked_again_needs_a_new_agreement(
    cast: Cast, shown: ShownTask, larch: Submission
) -> None:
    shown.delete()
    assert not is_shown(larch)
    show_tasks(tasks=tasks(cast.codeif, 0), user=cast.dora)
    assert not is_shown(larch)


def test_a_form_that_does_not_fit_publishes_nothing(cast: Cast, shown: ShownTask) -> None:
    submission = judged(cast, "Larch")
    address = reverse("submission-publish", args=[submission.pk])
    no_tasks = [{"shown": [value]} for value in ("0", "x", str(10**30))]
    for change in ({"licence": "GPL"}, *no_tasks):
        data = {"licence": LICENCE, "shown": [shown.pk], **change}
        text = visitor(cast.alice).post(address, data, follow=True).text
        assert "Not published: the tasks that can be shown have changed." in text, change
        submission.refresh_from_db()
        assert submission.visibility == Visibility.PRIVATE, change


def test_staff_do_not_agree_for_a_team(cast: Cast, shown: ShownTask) -> None:
    submission = judged(cast, "Larch")
    client = visitor(cast.dora)
    assert 'name="licence"' not in client.get(submission.get_absolute_url()).text
    address = reverse("submission-publish", args=[submission.pk])
    client.post(address, {"licence": LICENCE, "shown": [shown.pk]})
    client.post(address)
    assert Submission.objects.get(pk=submission.pk).visibility == Visibility.PUBLISHED
    assert not Consent.objects.exists()


def test_the_team_hides_them_and_the_result_stays(cast: Cast, larch: Submission) -> None:
    own = page(larch.get_absolute_url(), cast.bob)
    assert "Hide your generations of the shown tasks? The result stays on the board." in own
    assert "Its generations are hidden again too." in own
    for words in ("Hidden. Only your team reads", "There was nothing left to hide."):
        address = reverse("submission-hide", args=[larch.pk])
        assert words in visitor(cast.bob).post(address, follow=True).text
    assert not is_shown(larch)
    assert "# by Larch" in page(of_task(larch), cast.alice)
    assert "Larch" in page(f"{TASKS}0/")
    assert "Hide generations" not in page(larch.get_absolute_url(), cast.bob)


def test_withdrawing_the_result_ends_the_agreement(cast: Cast, larch: Submission) -> None:
    visitor(cast.alice).post(reverse("submission-withdraw", args=[larch.pk]))
    assert not is_shown(larch)
    publish(larch, licence="")
    assert "Larch" in page(f"{TASKS}0/")
    assert not is_shown(larch)


def campaign(cast: Cast) -> None:
    assert cast.codeif.current is not None
    create_campaign(
        revision=cast.codeif.current, title="Style", user=cast.dora, family_slug="aixbench_nl"
    )


def of_codeif(**values: bool) -> Callable[[Cast], object]:
    return lambda cast: Benchmark.objects.filter(pk=cast.codeif.pk).update(**values)


@pytest.mark.parametrize(
    "change",
    [of_codeif(shows_output=False), of_codeif(listed=False), campaign],
    ids=["answers private", "not listed", "rated"],
)
def test_what_may_not_be_shown_any_more_is_hidden_at_once(
    cast: Cast, shown: ShownTask, larch: Submission, change: Callable[[Cast], object]
) -> None:
    assert is_shown(larch)
    change(cast)
    assert not is_shown(larch)
    if change is campaign:
        later = judged(cast, "Sedge")
        assert "Generations of the shown tasks" not in page(later.get_absolute_url(), cast.alice)
        assert "Hide generations" in page(larch.get_absolute_url(), cast.bob)


def test_no_task_is_marked_where_people_rate(cast: Cast) -> None:
    benchmark = sample("aixbench_nl")
    Benchmark.objects.filter(pk=benchmark.pk).update(shows_output=True)
    campaign(cast)
    for one in (benchmark, cast.codeif):
        with pytest.raises(NotShowable, match="people rate"):
            show_tasks(tasks=tasks(one, 0), user=cast.dora)


def test_a_benchmark_has_five_shown_tasks_at_most(cast: Cast, shown: ShownTask) -> None:
    assert len(show_tasks(tasks=tasks(cast.codeif, *range(MOST)), user=cast.dora)) == MOST - 1
    with pytest.raises(NotShowable, match="at most 5 tasks"):
        show_tasks(tasks=tasks(cast.codeif, MOST), user=cast.dora)
    assert ShownTask.objects.count() == MOST


def test_nothing_but_its_own_generations_is_shown(
    cast: Cast, shown: ShownTask, larch: Submission
) -> None:
    """Neither messages to the model nor the texts of the team's private and earlier results."""
    judged(cast, "Larch private")
    later = judged(cast, "Larch 2")
    Generation.objects.update(asked="# the message")
    hide_generations(submission=larch)
    publish(later, shown)
    text = page(of_task(later))
    assert "# by Larch 2" in text
    for private in ("# by Larch\n", "# by Larch private", "# the message", "Changes since"):
        assert private not in text
    assert "# the message" in page(of_task(later), cast.bob)


def test_first_turns_that_may_be_copies_are_not_shown(cast: Cast, shown: ShownTask) -> None:
    fares = passing(("ppppp", "fpppp"))
    talk = multi_turn(cast, cast.entrant("Larch"), fares, publish=False)
    publish(talk, shown)
    for address in (of_task(talk), f"{TASKS}0/?setting=multi_turn"):
        text = page(address)
        assert "# turn 1" in text or "turn 1</span>" in text
        assert "# turn 0" not in text
        assert "turn 0</span>" not in text
    assert "turn 0</span>" in page(of_task(talk), cast.bob)


def test_a_shown_text_is_escaped_and_coloured(cast: Cast, shown: ShownTask) -> None:
    submission = judged(cast, "Larch", text=f"def f():  # {SCRIPT}\n    return 1\n")
    publish(submission, shown)
    for address in (f"{TASKS}0/", of_task(submission)):
        text = page(address)
        assert (SCRIPT in text, ESCAPED in text) == (False, True)
        assert '<span class="keyword">def</span>' in text


def test_a_task_page_shows_the_code_of_the_first_entrants_and_links_the_others(
    cast: Cast, shown: ShownTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.pages.boards.views.tasks.CODES", 1)
    for name in ("Larch", "Sedge"):
        publish(judged(cast, name), shown)
    text = page(f"{TASKS}0/")
    assert ("# by Larch" in text) != ("# by Sedge" in text)
    assert text.count(">generations</a>") == 2


def test_both_codes_are_compared_where_both_are_shown(
    cast: Cast, shown: ShownTask, larch: Submission
) -> None:
    sedge = judged(cast, "Sedge", cast.fenland)
    publish(sedge, shown)
    query = "?entrant=larch&entrant=sedge"
    address = f"/compare/codeif-function/tasks/0/{query}"
    compared = page(f"/compare/codeif-function/{query}")
    assert f'href="{address.replace("&", "&amp;")}"' in compared
    for person in (None, cast.charlie, cast.bob):
        text = page(address, person)
        assert "# by Larch" in text and "# by Sedge" in text
        assert "shown by Fenland, licence" in text
    assert visitor().get(address.replace("/0/", "/1/")).status_code == 404
    hide_generations(submission=sedge)
    assert [visitor(one).get(address).status_code for one in (None, cast.bob)] == [404, 404]
    assert "/compare/codeif-function/tasks/0/" not in page(f"/compare/codeif-function/{query}")


def test_a_member_compares_its_own_code_with_a_shown_one(
    cast: Cast, shown: ShownTask, larch: Submission
) -> None:
    publish(judged(cast, "Sedge", cast.fenland), shown, licence="")
    address = "/compare/codeif-function/tasks/0/?entrant=larch&entrant=sedge"
    assert "# by Sedge" in page(address, cast.charlie)
    assert "# by Larch" in page(address, cast.charlie)
    assert [visitor(one).get(address).status_code for one in (None, cast.bob)] == [404, 404]


def test_no_download_changes(larch: Submission) -> None:
    client, board = Client(), "/benchmarks/codeif-function/board."
    verdicts = reverse("submission-verdicts", args=[larch.pk])
    matrix = "/benchmarks/codeif-function/matrix.zip"

    def downloads() -> list[bytes]:
        found = [client.get(f"{board}{kind}").content for kind in ("csv", "json")]
        with zipfile.ZipFile(io.BytesIO(client.get(matrix).getvalue())) as packed:
            found += [packed.read(name) for name in packed.namelist()]
        return [*found, b"".join(client.get(verdicts))]  # type: ignore[arg-type]  # it streams

    before = downloads()
    assert not any(b"# by Larch" in one for one in before)
    hide_generations(submission=larch)
    assert downloads() == before


def test_no_cached_page_outlives_a_change(
    cast: Cast, shown: ShownTask, larch: Submission, settings: Settings
) -> None:
    sedge = judged(cast, "Sedge", cast.fenland)
    compared = "/compare/codeif-function/?entrant=larch&entrant=sedge"
    changes: list[Callable[[], object]] = [
        lambda: publish(sedge, shown),
        lambda: hide_generations(submission=larch),
        lambda: withdraw(submission=sedge),
        lambda: publish(sedge, shown),
        lambda: ShownTask.objects.all().delete(),
    ]

    def pages(client: Client) -> list[bytes]:
        return [client.get(url).content for url in (f"{TASKS}0/", compared)]

    settings.CACHED_PAGES = 400
    cached = visitor()
    for change in changes:
        before = pages(cached)
        assert pages(cached) == before
        change()
        after = pages(cached)
        settings.CACHED_PAGES = 0
        assert after == pages(visitor())
        settings.CACHED_PAGES = 400
        assert after[0] != before[0]


@pytest.mark.parametrize(("right", "marked"), [("", 0), ("add_showntask", 1)])
def test_staff_with_the_right_mark_tasks(cast: Cast, right: str, marked: int) -> None:
    given_right(cast.bob, "view_task", right)
    text = act(visitor(cast.bob), Task, "show_generations", *tasks(cast.codeif, 0))
    assert ShownTask.objects.count() == LogEntry.objects.count() == marked
    assert ("1 task is shown" in text) == bool(marked)


def test_staff_read_why_a_task_is_not_marked(cast: Cast) -> None:
    text = act(visitor(cast.dora), Task, "show_generations", *tasks(cast.rucodeeval, 0))
    assert "turn “entrants see output” on first" in text
    assert not ShownTask.objects.exists()


def test_staff_undo_a_mark_after_a_question(
    cast: Cast, shown: ShownTask, larch: Submission
) -> None:
    client = visitor(cast.dora)
    address = f"/admin/benchmarks/showntask/{shown.pk}/delete/"
    assert "Consent" in client.get(address).text
    assert is_shown(larch)
    client.post(address, {"post": "yes"})
    assert not is_shown(larch)
