"""Tests of generations that teams show to everyone, under a licence."""

import io
import re
import zipfile
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import DjangoAssertNumQueries, Settings

from evaluation.models import VerdictOutput
from leaderboard.accounts.models import Team, User
from leaderboard.annotation.campaigns import close_campaign, create_campaign
from leaderboard.annotation.models import Campaign, CampaignState
from leaderboard.benchmarks.models import Benchmark, Task
from leaderboard.boards.queries import shown_answers
from leaderboard.pages.caching import MOST_BYTES
from leaderboard.pages.submissions.views import tasks
from leaderboard.scores.boards import make_board, want_board
from leaderboard.scores.models import Standing
from leaderboard.submissions.models import Consent, Generation, Submission, Visibility
from leaderboard.submissions.publishing import hide_generations
from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.cast import Cast
from tests.support.conversations import multi_turn, passing

pytestmark = pytest.mark.any_database

LICENCE = "CC-BY-4.0"
LINK = '<a rel="license" href="https://spdx.org/licenses/CC-BY-4.0.html">CC BY 4.0</a>'
TASKS = "/benchmarks/codeif-function/tasks/"


def judged(
    cast: Cast,
    name: str,
    team: Team | None = None,
    text: str = "",
    pattern: tuple[str, ...] = ("passed", "failed"),
) -> Submission:
    entrant = cast.entrant(name, team)
    text = text or f"def f():  # by {name}\n"
    return cast.judged_submission(
        entrant, pattern, benchmark=cast.codeif, samples=2, text=text, publish=False,
        output=f"printed by {name}",
    )  # fmt: skip


def publish(submission: Submission, licence: str = LICENCE) -> None:
    """Publishes the result by the form on its page, as its team does."""
    owner = submission.entrant.team.memberships.all()[0].user
    address = reverse("submission-publish", args=[submission.pk])
    visitor(owner).post(address, {"licence": licence})
    make_board(board=want_board(submission=submission))


def page(address: str, person: object = None) -> str:
    answer = visitor(person).get(address)  # type: ignore[arg-type]  # a person of the cast
    return answer.text if answer.status_code == 200 else ""


def of_task(submission: Submission, number: int = 0) -> str:
    return reverse("submission-task", args=[submission.pk, number])


@pytest.fixture
def larch(cast: Cast) -> Submission:
    """A published result whose generations everyone may read."""
    submission = judged(cast, "Larch")
    publish(submission)
    return submission


def is_shown(submission: Submission) -> bool:
    """Whether a visitor sees it, on the two pages that could show it and as a file; these must
    agree."""
    mark = f"# by {submission.entrant.name}"
    generation = submission.generations.filter(task__number=0)[0]
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


def test_its_page_asks_for_the_consent_once(cast: Cast, larch: Submission) -> None:
    with CaptureQueriesContext(connection) as queries:
        assert "Hide generations" in page(larch.get_absolute_url(), cast.bob)
    assert sum('FROM "submissions_consent" WHERE' in query["sql"] for query in queries) == 1


def show(submission: Submission, person: User | None, licence: str = LICENCE) -> str:
    address = reverse("submission-show", args=[submission.pk])
    return visitor(person).post(address, {"licence": licence}, follow=True).text


def test_a_published_result_shows_them_hides_them_and_shows_them_again(cast: Cast) -> None:
    submission = judged(cast, "Larch")
    assert "Nothing was shown." in show(submission, cast.bob)
    publish(submission, licence="")
    assert "Show generations" in page(submission.get_absolute_url(), cast.bob)
    for person, licence in ((cast.bob, "GPL"), (cast.dora, LICENCE), (cast.charlie, LICENCE)):
        assert "Everyone can read" not in show(submission, person, licence)
    assert not is_shown(submission)
    for _ in range(2):
        assert "Everyone can read your generations now." in show(submission, cast.bob)
        assert is_shown(submission)
        assert "Nothing was shown." in show(submission, cast.bob)
        visitor(cast.bob).post(reverse("submission-hide", args=[submission.pk]))
        assert not is_shown(submission)


def test_two_clicks_lead_from_the_board_to_a_wrong_answer(cast: Cast, larch: Submission) -> None:
    board, submission = "/benchmarks/codeif-function/", larch.get_absolute_url()
    assert f'href="{submission}"' in page(board)
    assert f'href="{of_task(larch)}"' in page(submission)
    for address in (of_task(larch), f"{TASKS}0/"):
        text = page(address)
        assert "# by Larch" in text and "printed by Larch" in text
        assert all(f"mark-{status}" in text for status in ("passed", "failed"))


def test_what_they_printed_stays_while_they_are_shown(cast: Cast, larch: Submission) -> None:
    VerdictOutput.objects.update(expires=timezone.now() - timedelta(seconds=1))
    for person in (None, cast.bob):
        assert "printed by Larch" in page(of_task(larch), person)
        assert "printed by Larch" in page(f"{TASKS}0/", person)
    hide_generations(submission=larch)
    assert "printed by Larch" not in page(of_task(larch), cast.bob)


def test_a_task_page_shows_a_wrong_and_a_right_answer_of_each_entrant(
    cast: Cast, larch: Submission, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(17):
        text = page(f"{TASKS}0/")
    assert text.count('class="card sample"') == 2
    publish(judged(cast, "Sedge", cast.fenland))
    with django_assert_num_queries(17):
        text = page(f"{TASKS}0/")
    assert text.count('class="card sample"') == 4
    form = text[text.index('action="/compare/codeif-function/tasks/0/"') :]
    assert re.findall(r'value="(\w+)" selected', form) == ["larch", "sedge"]


def test_a_task_page_stays_small_enough_for_the_cache_and_says_what_it_leaves_out(
    cast: Cast, larch: Submission, settings: Settings
) -> None:
    """Each unseen character takes the most bytes that a text can take."""
    publish(judged(cast, "Sedge", cast.fenland))
    Generation.objects.update(text="def f():\n    pass  # " + "\u200b\u200c" * 9_000)
    settings.CACHED_PAGES = 400
    client = visitor()
    answer = client.get(f"{TASKS}0/")
    assert len(answer.content) <= MOST_BYTES
    assert answer.text.count('class="card sample"') == 1
    assert "There is no room here for more answers." in answer.text
    assert f'<a href="{of_task(Submission.objects.latest("pk"))}">' in answer.text
    assert "ETag" in answer


def test_answers_are_chosen_without_their_texts_and_evidence(
    larch: Submission, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    task = Task.objects.get(revision=larch.revision_id, number=0)
    standings, consents = [*Standing.objects.all()], {larch.pk: larch.consent}
    with django_assert_num_queries(1) as asked:
        keys = shown_answers(task, standings, consents)
    assert {*keys} == {*larch.generations.filter(task=task).values_list("pk", flat=True)}
    (query,) = asked
    assert not re.search(r"\"(text|asked|evidence)\"", query["sql"])


def test_staff_do_not_agree_for_a_team(cast: Cast) -> None:
    submission = judged(cast, "Larch")
    client = visitor(cast.dora)
    assert 'name="licence"' not in client.get(submission.get_absolute_url()).text
    address = reverse("submission-publish", args=[submission.pk])
    client.post(address, {"licence": LICENCE})
    client.post(address)
    assert Submission.objects.get(pk=submission.pk).visibility == Visibility.PUBLISHED
    assert not Consent.objects.exists()


def test_publishing_says_if_the_generations_are_not_shown(cast: Cast) -> None:
    submission = judged(cast, "Larch")
    address = reverse("submission-publish", args=[submission.pk])

    def warns(person: User, licence: str = LICENCE) -> bool:
        text = visitor(person).post(address, {"licence": licence}, follow=True).text
        assert "Published." in text
        return "Its generations are not shown." in text

    assert [warns(cast.bob, ""), warns(cast.bob, "GPL"), warns(cast.dora)] == [False, True, True]
    assert [warns(cast.bob), warns(cast.bob)] == [False, False]
    campaign(cast)
    assert warns(cast.bob)


def test_the_team_hides_them_and_the_result_stays(cast: Cast, larch: Submission) -> None:
    own = page(larch.get_absolute_url(), cast.bob)
    assert "Hide your generations? The result stays on the board." in own
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
    row = create_campaign(
        revision=cast.codeif.current, title="Style", user=cast.dora, family_slug="aixbench_nl"
    )
    Campaign.objects.filter(pk=row.pk).update(state=CampaignState.OPEN, opened=timezone.now())


def of_codeif(**values: bool) -> Callable[[Cast], object]:
    return lambda cast: Benchmark.objects.filter(pk=cast.codeif.pk).update(**values)


@pytest.mark.parametrize(
    "change",
    [of_codeif(shows_output=False), of_codeif(listed=False), campaign],
    ids=["answers private", "not listed", "rated"],
)
def test_what_may_not_be_shown_any_more_is_hidden_at_once(
    cast: Cast, larch: Submission, change: Callable[[Cast], object]
) -> None:
    assert is_shown(larch)
    change(cast)
    assert not is_shown(larch)
    if change is campaign:
        later = judged(cast, "Sedge")
        assert "Generations, with what they printed" not in page(
            later.get_absolute_url(), cast.alice
        )
        assert "Hide generations" in page(larch.get_absolute_url(), cast.bob)
        close_campaign(campaign=Campaign.objects.get())
        assert is_shown(larch)


def test_nothing_but_its_own_generations_is_shown(cast: Cast, larch: Submission) -> None:
    """Neither messages to the model nor the texts of the team's private and earlier results."""
    judged(cast, "Larch private")
    later = judged(cast, "Larch 2")
    Generation.objects.update(asked="# the message")
    hide_generations(submission=larch)
    publish(later)
    text = page(of_task(later))
    assert "# by Larch 2" in text
    for private in ("# by Larch\n", "# by Larch private", "# the message", "Changes since"):
        assert private not in text
    assert "# the message" in page(of_task(later), cast.bob)


def test_first_turns_that_may_be_copies_are_not_shown(cast: Cast) -> None:
    fares = passing(("ppppp", "fpppp"))
    talk = multi_turn(cast, cast.entrant("Larch"), fares, publish=False)
    publish(talk)
    for address in (of_task(talk), f"{TASKS}0/?setting=multi_turn"):
        text = page(address)
        assert "# turn 1" in text or "turn 1</span>" in text
        assert "# turn 0" not in text
        assert "turn 0</span>" not in text
    assert "turn 0</span>" in page(of_task(talk), cast.bob)


def test_a_conversation_shows_what_the_task_page_shows(cast: Cast) -> None:
    """Neither turn 0, which may be a copy, nor messages, which may quote what a test printed."""
    talk = multi_turn(cast, cast.entrant("Larch"), passing(("ppppp", "fpppp")), publish=False)
    Generation.objects.update(asked="# the message")
    address = reverse("submission-conversation", args=[talk.pk, 0, 1])
    publish(talk)
    for reader, own in {None: False, cast.charlie: False, cast.bob: True, cast.dora: True}.items():
        text = page(address, reader)
        first, second = (text.partition(f'id="turn-{n}"')[2].split("</section>")[0] for n in (0, 1))
        assert f"shown by Northwood, licence {LINK}" in text, reader
        assert "# turn 1" in second, reader
        assert text.count("Only the team sees what was generated.") == (not own), reader
        assert ("Only the team sees" in first, "code-numbered" in first) == (not own, own), reader
        for private in ("# turn 0", "# the message"):
            assert (private in text) == own, reader
    hide_generations(submission=talk)
    for reader in (None, cast.charlie):
        assert "# turn 1" not in page(address, reader)
        assert "Only the team sees what was generated." in page(address, reader)


def test_both_codes_are_compared_where_both_are_shown(
    cast: Cast, larch: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    sedge = judged(cast, "Sedge", cast.fenland, pattern=("failed",))
    publish(sedge)
    query = "?entrant=larch&entrant=sedge"
    address = f"/compare/codeif-function/tasks/0/{query}"
    compared = page(f"/compare/codeif-function/{query}")
    assert f'href="{address.replace("&", "&amp;")}"' in compared
    for person in (None, cast.charlie, cast.bob):
        text = page(address, person)
        assert "# by Larch" in text and "# by Sedge" in text
        assert "shown by Fenland, licence" in text
        assert "Difference from Larch" in text
        assert '<span class="removed">-def f():  # by Larch</span>' in text
        assert "You chose one entrant" not in text
    assert "more generation" not in text
    with monkeypatch.context() as patch:
        patch.setattr(tasks, "PER_PAGE", 1)
        assert page(address).count(f'<a href="{of_task(larch)}">1 more generation</a>') == 1
    alone = page(address.replace("&entrant=sedge", "&entrant=larch"))
    assert "Difference" not in alone and "You chose one entrant" in alone
    hide_generations(submission=sedge)
    assert [visitor(one).get(address).status_code for one in (None, cast.bob)] == [404, 404]
    assert "/compare/codeif-function/tasks/0/" not in page(f"/compare/codeif-function/{query}")


def test_a_member_compares_its_own_code_with_a_shown_one(cast: Cast, larch: Submission) -> None:
    publish(judged(cast, "Sedge", cast.fenland), licence="")
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
