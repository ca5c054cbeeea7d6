"""Tests of the page of one task of a submission: who sees how much of each generation."""

import re
from datetime import timedelta
from functools import partial

import pytest
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import DjangoAssertNumQueries

from evaluation.engine.records import Evidence, evidence_text
from evaluation.models import Verdict, VerdictOutput
from leaderboard.benchmarks.models import Benchmark
from leaderboard.pages.shared.code import MOST_COMPARED, PAGE_BYTES
from leaderboard.pages.submissions.views.tasks import PER_PAGE
from leaderboard.submissions.models import Generation, Submission
from tests.leaderboard.pages.submissions.visits import ESCAPED, SCRIPT, sample, visitor
from tests.support.cast import Cast
from tests.support.linear import at_most

pytestmark = pytest.mark.any_database

TEXT = f"    return {SCRIPT!r}  # the generation\n"
OUTPUT = f"printed {SCRIPT}"
# The last three record that staff look at it.
QUERIES = 18 + 3


@pytest.fixture
def published(cast: Cast) -> Submission:
    """A result of Northwood's on a benchmark with hidden tests; only staff see stored output."""
    submission = cast.judged_submission(cast.entrant(), text=TEXT, output=OUTPUT)
    Verdict.objects.update(flags=["ended_early"])
    return submission


def page(cast: Cast, submission: Submission, person: str | None) -> str:
    client = visitor(getattr(cast, person) if person else None)
    return client.get(reverse("submission-task", args=[submission.pk, 0])).text


def seen(text: str) -> dict[str, bool]:
    """Which facts about a generation and its verdict the page shows."""
    return {
        "status": "wrong result" in text,
        "duration": "0.020 s" in text,
        "text": "# the generation" in text,
        "tests": "4 of 5 tests" in text,
        "memory": "11.7 MiB" in text,
        "flags": "ended before its tests did" in text,
        "output": "printed" in text.partition("<main")[2],
    }


ALWAYS = {"status": True, "duration": True}
HINT = "run the program yourself with the examples"
DETAILS = ("tests", "memory", "flags")


# Who reads the texts of Northwood.
READERS = {None: False, "charlie": False, "alice": True, "bob": True, "dora": True}


def test_with_hidden_tests_the_team_sees_its_texts_and_staff_everything(
    cast: Cast, published: Submission
) -> None:
    for person, own in READERS.items():
        shown, staff = page(cast, published, person), person == "dora"
        details = dict.fromkeys((*DETAILS, "output"), staff)
        assert seen(shown) == {**ALWAYS, **details, "text": own}, person
        assert (HINT in shown) == (own and not staff), person


def test_without_hidden_tests_details_are_everyones_and_output_the_teams(
    cast: Cast, published: Submission
) -> None:
    Benchmark.objects.update(shows_output=True)
    for person, own in READERS.items():
        expected = {**ALWAYS, **dict.fromkeys(DETAILS, True), "text": own, "output": own}
        assert seen(page(cast, published, person)) == expected, person


def test_output_is_escaped_and_shown_as_long_as_it_is_kept(
    cast: Cast, published: Submission
) -> None:
    text = page(cast, published, "dora")
    assert (SCRIPT in text, text.count(ESCAPED)) == (False, 6)
    VerdictOutput.objects.update(expires=timezone.now() - timedelta(seconds=1))
    assert not seen(page(cast, published, "dora"))["output"]


def test_a_long_text_is_cut_and_said_to_be(cast: Cast) -> None:
    submission = cast.judged_submission(cast.entrant(), text="x" * 20_001, samples=1)
    text = page(cast, submission, "bob")
    assert ("x" * 20_000 in text, "x" * 20_001 in text) == (True, False)
    assert "This is the beginning; the text is longer." in text
    assert f'<a href="/submissions/{submission.pk}/answers/' in text


@pytest.mark.parametrize("text", ["1 if 2\n" * 2_800, "'\\" * 9_900], ids=["numbers", "quotes"])
def test_a_page_of_heavy_texts_is_small_and_links_the_whole_texts(cast: Cast, text: str) -> None:
    submission = cast.submission(cast.entrant(), samples=PER_PAGE)
    Generation.objects.filter(submission=submission).update(text=text)
    with at_most(2.5):
        shown = page(cast, submission, "alice")
    assert len(shown.encode()) < PAGE_BYTES * 1.1
    for link in re.findall(r"/submissions/\d+/answers/\d+\.txt", shown):
        file = visitor(cast.alice).get(link)
        assert (file.text, file["Content-Type"]) == (text, "text/plain; charset=utf-8")
        assert file["Content-Disposition"].startswith("attachment;")
        break
    else:
        assert shown.count("code-numbered") == PER_PAGE


def test_staff_read_how_where_and_why_a_pass_is_suspect(cast: Cast, published: Submission) -> None:
    entries = (
        Evidence("equality", "line 3", "It equals everything."),
        Evidence("control", "", "It passed a control."),
    )
    Verdict.objects.update(evidence=evidence_text(*entries), integrity="suspect")
    for person, shown in (("alice", False), ("bob", False), ("dora", True)):
        text = page(cast, published, person)
        assert ("<li>equality, line 3: It equals everything.</li>" in text) == shown
        assert ("<li>control: It passed a control.</li>" in text) == shown


REFUSED = "line 3: cannot find symbol"


@pytest.fixture
def uncompiled(cast: Cast) -> Submission:
    """A class that a compiler refused, on a benchmark with hidden tests."""
    return refused(cast, sample("aixbench_auto", "checkout"))


def refused(cast: Cast, benchmark: Benchmark | None = None) -> Submission:
    found = cast.judged_submission(
        cast.entrant(), ["compile_error"], benchmark=benchmark, samples=1
    )
    Verdict.objects.update(evidence=REFUSED, flags=["class_added", "ended_early"])
    return found


def test_a_team_is_told_what_the_compiler_said_of_its_text_and_what_was_repaired(
    cast: Cast, uncompiled: Submission
) -> None:
    for person, own in READERS.items():
        text = page(cast, uncompiled, person)
        assert (REFUSED in text, "a class was written around" in text) == (own, own), person
        assert ("Why it did not pass" in text, "Evidence against" in text) == (own, False), person
        assert ("ended before its tests did" in text) == (person == "dora"), person
    # No other evidence is for the team.
    Verdict.objects.update(status="failed")
    assert REFUSED not in page(cast, uncompiled, "bob")


def test_a_team_is_told_what_pythons_compiler_said_although_tests_are_hidden(cast: Cast) -> None:
    submission = refused(cast)
    submission.revision.benchmark.shows_output = False
    submission.revision.benchmark.save()
    for person, own in READERS.items():
        assert (REFUSED in page(cast, submission, person)) == own, person


@pytest.mark.parametrize("samples", [3, 25])
def test_the_number_of_queries_does_not_grow(
    cast: Cast, samples: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    submission = cast.judged_submission(cast.entrant(), samples=samples, output=OUTPUT)
    client = visitor(cast.dora)
    with django_assert_num_queries(QUERIES):
        client.get(reverse("submission-task", args=[submission.pk, 0]))


def test_the_nearest_failures_are_linked(cast: Cast) -> None:
    pattern = ["failed" if number in (1, 4, 9) else "passed" for number in range(12)]
    submission = cast.judged_submission(cast.entrant(), pattern, samples=1)
    url = partial(reverse, "submission-task")
    shown = visitor(cast.alice).get(url(args=[submission.pk, 4])).text
    for key, number in (("ArrowLeft", 1), ("ArrowRight", 9)):
        assert f'data-key="{key}" href="{url(args=[submission.pk, number])}"' in shown
    shown = visitor().get(url(args=[submission.pk, 0])).text
    assert ("ArrowLeft" in shown, "ArrowRight" in shown) == (False, True)


ANSWER = "Here it is:\n```python\n    return 1\n```\nIt returns one.\n"


def test_only_the_code_that_is_judged_is_numbered_and_the_answer_kept(cast: Cast) -> None:
    submission = cast.judged_submission(cast.entrant(), text=ANSWER, samples=1)
    for person, own in (("bob", True), ("charlie", False)):
        shown = page(cast, submission, person)
        code = shown.partition('code-numbered"')[2].partition("</pre>")[0]
        assert ("return" in code, "It returns one." in code) == (own, False)
        assert ("It returns one." in shown, "The whole answer" in shown) == (own, own)
        assert ("All complete blocks that open with ```python are joined." in shown) == own
    plain = page(cast, cast.judged_submission(cast.entrant("Alder"), samples=1), "bob")
    assert "The whole answer" not in plain


def test_a_text_is_compared_with_the_previous_submission(cast: Cast) -> None:
    entrant = cast.entrant()
    cast.judged_submission(entrant, text="    a = 1\n    return a\n", samples=1)
    second = cast.judged_submission(entrant, text="    a = 2\n    return a\n", samples=1)
    shown = page(cast, second, "bob").partition("code-changes")[2].partition("</pre>")[0]
    assert '<span class="removed">-    a = 1</span>' in shown
    assert '<span class="added">+    a = 2</span>' in shown
    assert cast.fenland and "code-changes" not in page(cast, second, "charlie")


def test_a_text_is_called_the_same_only_if_it_is(cast: Cast) -> None:
    entrant, told = cast.entrant(), "The text is the same as in your previous submission."
    long = "    a = 1\n" * (MOST_COMPARED + 1)
    for text, same in (("    a = 1\n", False), ("    a = 1\n", True), (long, False)):
        submission = cast.judged_submission(entrant, text=text, samples=1)
        assert (told in page(cast, submission, "bob")) == same


@pytest.fixture
def required(cast: Cast) -> Submission:
    """Ten samples per requirement, of which the last sample of the last requirement fails."""
    found = cast.judged_submission(
        cast.entrant(), ("passed",), benchmark=cast.codeif, setting="requirements", samples=10
    )
    last = found.generations.filter(task__number=0).order_by("requirement", "sample").last()
    assert last is not None
    Verdict.objects.filter(generation=last).update(status="failed")
    return found


def rows_of_marks(shown: str) -> list[list[str]]:
    body = shown.partition("marks-by-sample")[2].partition("<tbody>")[2].partition("</tbody>")[0]
    return [re.findall(r"(?s)<td.*?</td>", row) for row in body.split("</tr>")[:-1]]


def test_the_first_failing_requirement_leads_the_first_of_several_pages(
    cast: Cast, required: Submission
) -> None:
    number = required.generations.filter(task__number=0).count()
    assert number > PER_PAGE
    failed = Verdict.objects.get(status="failed", test_set="").generation_id
    assert re.findall(r'id="sample-(\d+)"', page(cast, required, "bob"))[0] == str(failed)


def test_rows_of_marks_go_beyond_the_page_and_align_by_sample(
    cast: Cast, required: Submission
) -> None:
    first = required.generations.filter(task__number=0).order_by("requirement", "sample")[0]
    first.delete()
    shown = page(cast, required, "bob")
    rows = rows_of_marks(shown)
    requirements = required.generations.filter(task__number=0).values("requirement").distinct()
    assert len(rows) == requirements.count() > 1
    assert {len(row) for row in rows} == {10}
    assert "missing" in rows[0][0] and "#sample-" in rows[0][1]
    (elsewhere,) = re.findall(r'href="(\?page=2)#sample-\d+"', rows[-1][-2])
    client = visitor(cast.bob)
    address = reverse("submission-task", args=[required.pk, 0])
    anchor = re.findall(r"#(sample-\d+)", rows[-1][-2])[0]
    assert f'id="{anchor}"' in client.get(address + elsewhere).text


def test_output_is_labelled_by_its_run(cast: Cast) -> None:
    found = cast.judged_submission(cast.entrant(), ("failed",), output="out", samples=1)
    generation = found.generations.get(task__number=0)
    verdict = Verdict.objects.create(
        evaluation=found.evaluations.get(), generation=generation, test_set="types", status="failed"
    )
    expires = timezone.now() + timedelta(days=1)
    VerdictOutput.objects.create(verdict=verdict, text="out", expires=expires)
    assert re.findall(r"<summary>(Output[^<]+)<", page(cast, found, "dora")) == [
        "Output of the run that counts",
        "Output of the run on the tests of types",
    ]
