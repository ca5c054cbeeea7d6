"""Tests of the pages of runs: ordered by a form, visible only to their team, stopped, resumed."""

from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from evaluation.engine.family import Sampling
from evaluation.engine.generation.answers import Price
from evaluation.models import Worker
from leaderboard.accounts.models import User
from leaderboard.benchmarks.models import Benchmark
from leaderboard.generation import runs
from leaderboard.generation.models import Run, RunKey, RunState
from leaderboard.pages.generation.views import RunFigures
from leaderboard.submissions.models import Upload
from tests.leaderboard.pages.submissions.visits import ESCAPED, SCRIPT, received, visitor
from tests.support.cast import Cast
from tests.support.ordering import ENDPOINT, KEY, ordered

pytestmark = pytest.mark.any_database

NEW = "/runs/new/"


@pytest.fixture(autouse=True)
def allowed(settings: Settings, tmp_path: object) -> None:
    settings.ENDPOINT_RUNS = 1
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture
def run(cast: Cast) -> Run:
    return ordered(cast)


def send(cast: Cast, user: User, **more: Any) -> HttpResponse:
    data = {
        "board": f"{cast.rucodeeval.slug}/base",
        "entrant": "larch-coder-32b",
        "endpoint": ENDPOINT,
        "model": "my-model",
        "key": KEY,
        "history": "last",
        "width": "8",
        "judge": "on",
    }
    return visitor(user).post(NEW, data | more)


def going(run: Run, **progress: Any) -> Run:
    """A run under way, with 30 of 120 answers, two a second."""
    claimed = runs.claim_run(pk=run.pk, owner="a worker")
    assert claimed is not None
    said = {"answered": 30, "kept": 0, "new": 30, "rate": 2.0, "total": 120, "lost": 0}
    said |= {"tokens_in": 1_000_000, "tokens_out": 500_000}
    runs.note_progress(run=claimed, progress=said | progress)
    return claimed


def test_where_it_is_not_allowed_there_is_no_form(cast: Cast, settings: Settings) -> None:
    cast.entrant()
    assert 'href="/runs/new/' in visitor(cast.bob).get(f"/submit/?benchmark={slug(cast)}").text
    settings.ENDPOINT_RUNS = 0
    assert visitor(cast.bob).get(NEW).status_code == 404
    assert send(cast, cast.bob).status_code == 404
    assert 'href="/runs/new/' not in visitor(cast.bob).get("/submit/").text


def slug(cast: Cast) -> str:
    return str(cast.rucodeeval.slug)


def test_a_form_orders_a_run_as_its_benchmark_is_published(cast: Cast) -> None:
    cast.entrant()
    answer = send(cast, cast.bob)
    run = Run.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, run.get_absolute_url())
    assert (run.user, run.endpoint, run.model, run.judge) == (cast.bob, ENDPOINT, "my-model", True)
    assert run.asked_with() == Sampling(samples=10, temperature=0.0)
    assert runs.key_of(run) == KEY


def test_what_is_filled_in_takes_the_place_of_what_is_published(cast: Cast) -> None:
    cast.entrant()
    given = {"samples": "3", "temperature": "0,7", "top_p": "none", "max_tokens": "4096"}
    send(cast, cast.bob, **given, price_sent="2.5", price_answered="10", judge="")
    run = Run.objects.get()
    assert run.asked_with() == Sampling(3, 0.7, None, 4096)
    assert (run.price, run.judge) == (Price(2.5, 10.0), False)


WRONG = {
    "endpoint": (
        *("http://127.0.0.1:8000/v1", "https://169.254.169.254/v1"),
        *("https://u:p@host.example/v1", ""),
    ),
    "model": ("",),
    "key": ("two words",),
    "samples": ("0", "101"),
    "temperature": ("hot", "nan", "inf"),
    "top_p": ("1.1",),
    "max_tokens": ("1.5",),
    "width": ("33",),
    "price_sent": ("1",),
    "board": ("rucodeeval/two_round",),
    "entrant": ("nobody",),
}


def test_what_is_wrong_is_said_and_the_key_not_echoed(cast: Cast) -> None:
    cast.entrant()
    for field, values in WRONG.items():
        for value in values:
            answer = send(cast, cast.bob, **{field: value})
            assert (answer.status_code, Run.objects.count()) == (422, 0), (field, value)
            assert "errorlist" in answer.text and KEY not in answer.text, (field, value)


DYNAMIC = "codeif-function/dynamic"


def test_a_form_orders_dynamic_conversations_of_one_sample_alone(cast: Cast) -> None:
    cast.entrant()
    assert cast.codeif and cast.rucodeeval
    answer = send(cast, cast.bob, board=DYNAMIC, samples="3")
    assert (answer.status_code, Run.objects.count(), KEY in answer.text) == (422, 0, False)
    assert "A dynamic conversation is held once for each task: ask for 1 sample." in answer.text
    for samples in ("", "1"):
        answer = send(cast, cast.bob, board=DYNAMIC, samples=samples, history="full")
        run = Run.objects.latest("pk")
        assert (answer.status_code, run.setting) == (302, "dynamic")
        assert run.asked_with() == Sampling(samples=1, temperature=0.0, top_p=1.0)
    assert Run.objects.count() == 2


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        (True, "Feedback includes the messages of the failed tests"),
        (False, "which are hidden here"),
    ],
)
def test_the_card_says_how_they_are_held(cast: Cast, shown: bool, words: str) -> None:
    cast.entrant()
    Benchmark.objects.filter(pk=cast.codeif.pk).update(shows_output=shown)
    polled = visitor(cast.bob).get(NEW, {"board": DYNAMIC}, headers={"HX-Request": "true"}).text
    assert "judges the code of each turn" in polled and words in polled
    static = {"board": "codeif-function/base"}
    polled = visitor(cast.bob).get(NEW, static, headers={"HX-Request": "true"}).text
    assert "judges the code of each turn" not in polled


def test_of_conversations_it_is_said_how_many_are_over(cast: Cast) -> None:
    run = ordered(cast, benchmark=cast.codeif, setting="dynamic")
    client = visitor(cast.bob)
    assert "each conversation once" in client.get(run.get_absolute_url()).text
    mine = going(run, total=8, talks=0, pace=0.0, answered=0, new=0, ready=False)
    assert "preparing to judge the turns" in client.get(run.get_absolute_url()).text
    said = {"talks": 2, "pace": 0.1, "ready": True, "total": 8, "answered": 30, "new": 30}
    runs.note_progress(run=mine, progress={**said, "rate": 2.0})
    page = client.get(run.get_absolute_url()).text
    assert "2 of 8 conversations, 30 answers · at most about 4 min left, probably done by " in page
    assert '<progress max="8" value="2"' in page
    assert "<dt>Answers</dt><dd>30</dd>" in page


def test_nobody_orders_for_another_teams_entrant(cast: Cast) -> None:
    cast.entrant()
    assert cast.fenland
    assert (send(cast, cast.charlie).status_code, Run.objects.count()) == (422, 0)


def test_how_far_it_is_is_said_with_what_is_left_and_what_it_costs(cast: Cast) -> None:
    run = ordered(cast, price=Price(2.0, 4.0))
    going(run)
    page = visitor(cast.bob).get(run.get_absolute_url()).text
    assert "30 of 120 answers · about 20 s to 2 min left, probably done by " in page
    assert "<dd>2.00</dd>" in page
    assert "<dd>1,000,000</dd>" in page
    assert "<dd>4.00</dd>" in page


@pytest.mark.parametrize(("new", "high"), [(30, 80), (3000, 65)])
def test_the_interval_of_the_end_narrows_with_the_answers(
    cast: Cast, run: Run, new: int, high: int
) -> None:
    going(run, answered=new, new=new, total=new + 90)
    run.refresh_from_db()
    left = RunFigures(run).left
    assert left is not None
    assert left.low < 90 / 2.0 < left.high < high


def test_a_waiting_run_says_how_many_are_ahead(cast: Cast, run: Run) -> None:
    now = timezone.now()
    Worker.objects.create(name="w", host="h", queues=["generation"], started=now, seen=now)
    rows = Run.objects.filter(pk=run.pk)
    rows.update(state=RunState.WAITING, rung=now)
    assert "next in line" in visitor(cast.bob).get(run.get_absolute_url()).text
    earlier = rows.get()
    earlier.pk, earlier.rung = None, now - timedelta(seconds=1)
    earlier.save()
    assert "1 run is ahead" in visitor(cast.bob).get(run.get_absolute_url()).text


def test_the_live_part_asks_again_until_the_run_is_over(cast: Cast, run: Run) -> None:
    client, live = visitor(cast.bob), reverse("run-live", args=[run.pk])
    part = client.get(live)
    assert (part.status_code, "hx-trigger" in part.text, "csrf" in part.text) == (200, True, False)
    runs.stop_run(run=run)
    part = client.get(live)
    assert (part.status_code, "hx-trigger" in part.text) == (286, False)
    assert 'id="head" hx-swap-oob' in part.text


def test_stopping_is_asked_and_ends_it_with_its_key(cast: Cast, run: Run) -> None:
    client, url = visitor(cast.bob), reverse("run-stop", args=[run.pk])
    assert "Stop sending messages to the model?" in client.get(run.get_absolute_url()).text
    client.post(url)
    assert not RunKey.objects.exists()
    assert "the key is deleted" in client.get(run.get_absolute_url()).text.lower()
    assert "had already ended" in client.post(url, follow=True).text


def test_a_failed_run_says_why_and_goes_on_with_a_key(cast: Cast, run: Run) -> None:
    runs.fail_run(run=going(run), cause=f"The endpoint refuses the request: {SCRIPT}")
    client, url = visitor(cast.bob), reverse("run-resume", args=[run.pk])
    page = client.get(run.get_absolute_url()).text
    assert (ESCAPED in page, SCRIPT in page, "Resume the run" in page) == (True, False, True)
    assert client.post(url, {"key": "not one"}).status_code == 422
    assert client.post(url, {"key": KEY})["Location"] == run.get_absolute_url()
    run.refresh_from_db()
    assert (run.state, runs.key_of(run)) == (RunState.WAITING, KEY)
    assert "cannot be resumed" in client.post(url, {"key": KEY}, follow=True).text


def test_going_on_where_it_is_no_longer_allowed_is_refused(
    cast: Cast, run: Run, settings: Settings
) -> None:
    runs.stop_run(run=run)
    settings.ENDPOINT_RUNS = 0
    client = visitor(cast.bob)
    assert "Resume the run" not in client.get(run.get_absolute_url()).text
    answer = client.post(reverse("run-resume", args=[run.pk]), {"key": KEY})
    assert (answer.status_code, KEY in answer.text) == (422, False)


def test_a_finished_run_leads_to_its_generations(cast: Cast, run: Run) -> None:
    upload: Upload = received(run.entrant, cast.alice, cast.rucodeeval, b"x")
    runs.finish_run(run=going(run), upload=upload, lost=2)
    page = visitor(cast.bob).get(run.get_absolute_url()).text
    assert f'href="{upload.get_absolute_url()}"' in page
    assert "2 messages have no answer" in page
    assert "Resume the run" in page


def test_names_are_escaped(cast: Cast) -> None:
    run = ordered(cast, model=SCRIPT)
    page = visitor(cast.bob).get(run.get_absolute_url()).text
    assert (SCRIPT in page, ESCAPED in page) == (False, True)


def test_runs_under_way_stand_in_the_list_of_their_team_alone(cast: Cast, run: Run) -> None:
    assert cast.fenland
    url = run.get_absolute_url()
    for person, listed in (("bob", True), ("charlie", False), ("dora", False)):
        page = visitor(getattr(cast, person)).get("/submissions/").text
        assert (url in page) is listed, person


def test_staff_stop_a_run_in_the_admin_and_read_no_endpoint(cast: Cast, run: Run) -> None:
    client = visitor(cast.dora)
    change = client.get(reverse("admin:generation_run_change", args=[run.pk])).text
    listed = client.get(reverse("admin:generation_run_changelist")).text
    for page in (change, listed):
        assert not [mark for mark in (KEY, "veiled-endpoint", "veiled-model") if mark in page]
    action = {"action": "stop_runs", "_selected_action": [run.pk]}
    client.post(reverse("admin:generation_run_changelist"), action)
    run.refresh_from_db()
    assert (run.state, RunKey.objects.exists()) == (RunState.STOPPED, False)
