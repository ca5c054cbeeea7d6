"""Tests of transcripts of dynamic conversations, from the form to the board or to their
rejection."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from evaluation.management.commands.submit import refusal
from evaluation.models import Evaluation, EvaluationState, Verdict
from evaluation.state import scheduling
from evaluation.work import actions
from leaderboard.benchmarks.models import Benchmark, TaskExclusion
from leaderboard.scores.boards import make_board, want_board
from leaderboard.scores.models import Score
from leaderboard.submissions.models import Generation, Submission, UploadState, Visibility
from leaderboard.submissions.publishing import NotPublishable
from tests.leaderboard.pages.submissions.transcripts import (
    benchmark,
    honest_talks,
    judge,
    score,
    scored,
    sent,
    submitted,
)
from tests.leaderboard.pages.submissions.visits import stored, visitor
from tests.support.cast import Cast
from tests.support.transcripts import FORGED, FORGERIES, TASKS, file_of, forged, honest, said

pytestmark = pytest.mark.any_database

__all__ = ["benchmark"]

BETTERED, STOPPED = (
    next(one for one in FORGERIES if one.name == name) for name in ("code_bettered", "added")
)


@pytest.fixture
def refused(cast: Cast, benchmark: Benchmark) -> Evaluation:
    """Northwood's transcripts, one of which is forged."""
    return scored(benchmark, cast.alice, cast.entrant(), forged(BETTERED))


@pytest.fixture
def taken(cast: Cast, benchmark: Benchmark) -> Evaluation:
    return scored(benchmark, cast.alice, cast.entrant(), honest_talks())


def page_of(evaluation: Evaluation, user: object = None) -> str:
    found = visitor(user).get(evaluation.submission.get_absolute_url())  # type: ignore[arg-type]
    assert found.status_code == 200
    return str(found.text)


# --- Before judging -----------------------------------------------------------------------


def test_the_preview_counts_answers_and_names_tasks_without_a_transcript(
    cast: Cast, benchmark: Benchmark
) -> None:
    content = file_of({FORGED: honest()[FORGED]})
    upload = sent(benchmark, cast.alice, cast.entrant(), content)
    page = visitor(cast.alice).get(upload.get_absolute_url()).text
    assert upload.state == UploadState.CHECKED
    assert "4 generations, 1 warning" in page
    assert "1 of 2 tasks have no transcript" in page


def test_what_no_verdict_makes_right_is_refused_with_line_and_task(
    cast: Cast, benchmark: Benchmark
) -> None:
    entrant = cast.entrant()
    for forgery in (one for one in FORGERIES if one.at_once):
        upload = sent(benchmark, cast.alice, entrant, file_of(forged(forgery)))
        page = visitor(cast.alice).get(upload.get_absolute_url()).text
        assert upload.state == UploadState.REFUSED, forgery.name
        (problem,) = upload.report["problems"]
        assert (problem["line"], problem["task_id"]) == (2, FORGED), forgery.name
        assert problem["sentence"].startswith(f"Turn {forgery.turn} "), forgery.name
        assert "Upload the transcript as the run wrote it" in page


def test_every_turn_is_kept_with_what_was_asked_and_has_the_limits_of_conversations(
    cast: Cast, benchmark: Benchmark
) -> None:
    evaluation = submitted(benchmark, cast.alice, cast.entrant(), honest_talks())
    assert evaluation.limits["cpu_seconds"] == 10.0
    rows = Generation.objects.filter(submission=evaluation.submission).order_by("pk")
    found = [(row.task.id_in_dataset, row.turn, row.asked, row.text) for row in rows]
    assert found == [
        (task, turn, *one) for task in TASKS for turn, one in enumerate(honest()[task], 1)
    ]


def test_the_same_answers_to_other_messages_are_another_submission(
    cast: Cast, benchmark: Benchmark
) -> None:
    entrant = cast.entrant()
    one = submitted(benchmark, cast.alice, entrant, honest_talks())
    other = submitted(benchmark, cast.alice, entrant, forged(STOPPED))
    talks = {**honest_talks(), FORGED: [*honest()[FORGED]]}
    talks[FORGED][2] = talks[FORGED][2]._replace(asked=said("Exception Handling"))
    third = submitted(benchmark, cast.alice, entrant, talks)
    again = submitted(benchmark, cast.alice, entrant, honest_talks())
    digests = [row.submission.digest for row in (one, other, third, again)]
    assert digests[0] == digests[3] and len(set(digests)) == 3


# --- Taken --------------------------------------------------------------------------------


def test_an_honest_transcript_has_scores_over_pairs_of_turns_and_by_turn(taken: Evaluation) -> None:
    """Task 3: IA 0, 0, 0, 0. Task 4: IA 1, 0, 1, 1."""
    assert taken.state == EvaluationState.DONE
    overall = Score.objects.filter(evaluation=taken, slice="overall")
    assert {row.metric for row in overall} == {"IA", "CA", "IFR", "IFE"}
    assert overall.get(metric="IA").value == pytest.approx(((0 + 1 / 2) / 2 + (0 + 1) / 2) / 2)
    by_turn = Score.objects.filter(evaluation=taken, slice="turn", metric="IA")
    found = {row.slice_value: row.value for row in by_turn}
    assert found == {"1": 0.5, "2": 0.0, "3": 0.5, "4": 0.5}


def test_no_file_makes_itself_the_site_s(cast: Cast, benchmark: Benchmark) -> None:
    claims = {"run_by": "site", "asked_here": True, "made_by": "this site", "judged": {}}
    header = json.dumps({"generation": claims, "asked_here": True}).encode() + b"\n"
    upload = sent(benchmark, cast.alice, cast.entrant(), header + file_of(honest_talks()))
    evaluation = actions.open_evaluation(submission=stored(upload))
    judge(evaluation)
    actions.publish_submission(submission=score(evaluation).submission)
    make_board(board=want_board(submission=evaluation.submission))
    url = benchmark.get_absolute_url()
    board = visitor().get(f"{url}?setting=dynamic").text
    assert ("run by the team" in board, "run by this site" in board) == (True, False)
    (row,) = visitor().get(f"{url}board.json?setting=dynamic").json()["rows"]
    assert row["run_by"] == "team"
    assert "as the file says; not checked here" in page_of(evaluation)


def test_each_row_says_who_held_its_conversations_in_no_more_queries(
    cast: Cast, benchmark: Benchmark
) -> None:
    taken = [
        scored(benchmark, cast.alice, cast.entrant(name), honest_talks()).submission
        for name in ("One", "Two", "Three")
    ]
    url, queries = f"{benchmark.get_absolute_url()}?setting=dynamic", []
    for submission in taken:
        Submission.objects.filter(pk=submission.pk).update(asked_here=submission == taken[2])
        submission.refresh_from_db()
        actions.publish_submission(submission=submission)
        make_board(board=want_board(submission=submission))
        with CaptureQueriesContext(connection) as captured:
            board = visitor().get(url).text
        queries.append(len(captured))
    assert (board.count("run by the team<"), board.count("run by this site<")) == (2, 1)
    assert "cannot be detected" in board
    for submission, mark in zip(taken[1:], ("run by the team", "run by this site"), strict=True):
        assert mark in visitor().get(submission.entrant.get_absolute_url()).text
    # The second row adds charts and comparisons; the third adds nothing.
    assert queries[1] == queries[2]


# --- Refused ------------------------------------------------------------------------------


def test_a_forged_transcript_ends_the_evaluation_without_a_score(refused: Evaluation) -> None:
    assert (refused.state, refused.current) == (EvaluationState.REFUSED, True)
    ((_, sentence),) = refused.departures
    assert sentence.startswith(f"Turn {BETTERED.turn} ") and BETTERED.told in sentence
    assert not Score.objects.filter(evaluation=refused).exists()
    with pytest.raises(NotPublishable):
        actions.publish_submission(submission=refused.submission)


def test_its_team_and_staff_alone_are_told_the_task_the_turn_and_what_to_do(
    cast: Cast, refused: Evaluation
) -> None:
    assert f"task {FORGED}: Turn {BETTERED.turn} gives feedback" in refusal(refused)
    for person in (cast.alice, cast.bob, cast.dora):
        page = page_of(refused, person)
        assert f"Task {FORGED}</a>: Turn {BETTERED.turn} gives feedback" in page
        assert "Run these conversations again" in page
        assert "refused: a transcript breaks the rules" in page
        assert reverse("submission-publish", args=[refused.submission_id]) not in page
    refused.submission.visibility = Visibility.PUBLISHED
    refused.submission.save()
    page = page_of(refused)
    assert "These transcripts were refused" in page
    assert f"Turn {BETTERED.turn} " not in page


def test_verdicts_that_change_have_it_looked_at_again(cast: Cast, refused: Evaluation) -> None:
    """Makes the second answer fail the tests that the transcript says it failed."""
    own = Verdict.objects.filter(
        evaluation=refused, generation__task__external_id=str(FORGED), generation__turn=2
    )
    assert own.update(status="failed")
    own.filter(test_set="").update(status="passed")
    assert scheduling.score_again(evaluation=refused)
    assert score(refused).state == EvaluationState.DONE
    assert Evaluation.objects.get(pk=refused.pk).departures == []


# --- What the machinery lost --------------------------------------------------------------


def test_what_was_lost_is_no_refusal_and_there_is_no_score_until_it_is_judged(
    cast: Cast, benchmark: Benchmark
) -> None:
    evaluation = submitted(benchmark, cast.alice, cast.entrant(), forged(BETTERED))
    judge(evaluation, lost=["Input-Output Conditions"])
    waiting = score(evaluation)
    assert waiting.state == EvaluationState.DONE
    values = Score.objects.filter(evaluation=waiting, slice="overall")
    assert {row.value for row in values} == {None}
    assert {row.note for row in values if row.metric == "CA"} == {
        "3 samples have no final verdict yet"
    }
    Verdict.objects.filter(evaluation=waiting).delete()
    judge(waiting)
    assert scheduling.score_again(evaluation=waiting)
    assert score(waiting).state == EvaluationState.REFUSED


def test_marks_of_turns_are_explained_where_there_are_turns(cast: Cast, taken: Evaluation) -> None:
    assert "Each mark is a turn" in page_of(taken, cast.alice)
    static = cast.judged_submission(taken.submission.entrant, benchmark=cast.codeif)
    assert "Each mark is a turn" not in visitor(cast.alice).get(static.get_absolute_url()).text


def test_a_task_that_staff_left_out_refuses_nothing(cast: Cast, benchmark: Benchmark) -> None:
    evaluation = submitted(benchmark, cast.alice, cast.entrant(), forged(BETTERED))
    judge(evaluation)
    task = evaluation.submission.revision.tasks.get(external_id=str(FORGED))
    TaskExclusion.objects.create(task=task, reason="wrong")
    assert score(evaluation).state == EvaluationState.DONE


# --- Turn by turn, by the messages that were sent ------------------------------------------


def published(cast: Cast, benchmark: Benchmark, name: str) -> Evaluation:
    evaluation = scored(benchmark, cast.alice, cast.entrant(name), honest_talks())
    cast.publish(evaluation.submission)
    return evaluation


def test_a_board_of_transcripts_is_drawn_by_turn(cast: Cast, benchmark: Benchmark) -> None:
    for name in ("Larch", "Marl"):
        published(cast, benchmark, name)
    text = visitor().get(f"/benchmarks/{benchmark.slug}/?setting=dynamic").text
    for name in ("turns-ia", "turns-ca", "turns-ifr"):
        assert f'id="chart-{name}"' in text
    # On the page, and in each saved figure.
    assert text.count("turns are counted from 1") == 2 * 3


def test_the_page_of_a_result_leads_to_its_conversations(cast: Cast, benchmark: Benchmark) -> None:
    found = published(cast, benchmark, "Larch").submission
    address = reverse("submission-conversation", args=[found.pk, 0, 1])
    text = visitor().get(found.get_absolute_url()).text
    assert (address in text, 'id="kept"' in text) == (True, True)
    assert "Turns are counted from 1." in visitor().get(address).text
    asked = honest_talks()[TASKS[0]][0].asked
    assert asked[:40] in visitor(cast.bob).get(address).text.replace("&#x27;", "'")
