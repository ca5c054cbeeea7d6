"""Tests of `generate`: its file can be uploaded unchanged, and a killed run can be resumed."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluation import cli
from evaluation.cli.intake import KEY_VARIABLE
from evaluation.engine import uploads
from evaluation.engine.conversations.scripts import History, asked_before, asked_in, messages
from evaluation.engine.conversations.wording import OURS
from evaluation.engine.generation.journal import fingerprint
from evaluation.engine.instructions import DYNAMIC, MULTI_TURN, TWO_ROUND
from evaluation.engine.records import Task
from evaluation.engine.registry import FAMILIES
from evaluation.engine.samples import sample_answers, sample_tasks
from tests.evaluation.engine.generation.tasks import said
from tests.support.commands import ROOT, finish, report_lines, start, wait_for
from tests.support.endpoint import Endpoint, serving

KEY = "sk-scripted-0123456789abcdef"
FAMILY = "codeif_function"
SAMPLES = ROOT / "evaluation" / "engine" / "families"


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving(Endpoint(said)) as scripted:
        yield scripted


def words(endpoint: Endpoint, out: Path, *more: str, family: str = FAMILY) -> list[str]:
    given = {"tasks": tasks_path(family), "endpoint": endpoint.url, "model": "m", "out": out}
    named = (f"--{name}={value}" for name, value in given.items())
    return ["generate", family, *named, "--concurrency=4", *more]


def tasks_path(family: str) -> Path:
    return sample_tasks(SAMPLES / family / "sample")


def tasks_of(family: str) -> tuple[Task, ...]:
    return FAMILIES[family].load_tasks(tasks_path(family), None)


def by_place(path: Path) -> dict[tuple[Any, str | None], str]:
    return {(x["task_id"], x.get("requirement")): x["completion"] for x in report_lines(path)[1:]}


def due(setting: str, history: History = History.LAST) -> dict[tuple[Any, str | None], str]:
    """The expected answers of a complete run."""
    expected = {}
    for task in tasks_of(FAMILY):
        asked, answers = asked_in(task, setting), dict[str | None, str]()
        for name in dict.fromkeys((None, *asked)) if asked else ():
            before = [answers[one] for one in asked_before(task, setting, name)]
            answers[name] = said(messages(task, setting, OURS, name, before, history))
        if setting != MULTI_TURN and None not in asked:
            answers.pop(None, None)
        expected |= {(task.id, name): text for name, text in answers.items()}
    return expected


@pytest.mark.parametrize(
    ("family", "setting"),
    [
        (slug, name)
        for slug, one in sorted(FAMILIES.items())
        for name in one.settings
        # Settings are the same in both families of CodeIF-Bench.
        if name != DYNAMIC and (slug != "codeif_repository" or name == TWO_ROUND)
    ],
)
def test_every_family_is_asked_and_its_file_uploads_as_it_is(
    endpoint: Endpoint, tmp_path: Path, family: str, setting: str
) -> None:
    out, record = tmp_path / "p.jsonl", FAMILIES[family]
    assert cli.main(words(endpoint, out, f"--setting={setting}", family=family)) == 0
    answers = sample_answers(SAMPLES / family / "sample")
    tasks = record.load_tasks(tasks_path(family), answers)
    index = uploads.SlotIndex.of(tasks, lambda task: record.slots(task, setting))
    report = uploads.check(out, index, family=family)
    assert (report.problems, report.warnings, report.missing) == ((), (), ())
    assert report.samples_min == record.asking.sampling.samples
    assert (report.header["family"], report.header["model"]) == (family, "m")


def test_the_published_sampling_is_the_default(endpoint: Endpoint, tmp_path: Path) -> None:
    cli.main(words(endpoint, tmp_path / "p", family="realcode_java"))
    body = endpoint.requests[0].body
    assert (body["temperature"], body["top_p"], body["max_tokens"]) == (0.7, 0.8, 4096)
    assert body["repetition_penalty"] == 1.05
    asked = ["--temperature=0.1", "--repetition-penalty=none", "--max-tokens=none"]
    cli.main(words(endpoint, tmp_path / "q", *asked, family="realcode_java"))
    body = endpoint.requests[-1].body
    assert (body["temperature"], body["top_p"]) == (0.1, 0.8)
    assert not {"max_tokens", "repetition_penalty"} & body.keys()


def test_multi_turn_shows_what_it_is_told_to_whatever_happens_on_the_way(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    kinds = ("429", "", "503", "", "", "cut", "")
    endpoint.mishap = lambda n: kinds[n % len(kinds)] if 2 < n < 30 else ""
    out = tmp_path / "p.jsonl"
    more = ("--setting=multi_turn", "--history=full", "--stream")
    assert cli.main(words(endpoint, out, *more)) == 0
    assert by_place(out) == due(MULTI_TURN, History.FULL)
    assert endpoint.most <= 4


def test_a_file_of_base_completions_is_what_others_begin_with(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    base, out = tmp_path / "base.jsonl", tmp_path / "p.jsonl"
    cli.main(words(endpoint, base))
    before = len(endpoint.requests)
    assert cli.main(words(endpoint, out, "--setting=two_round", f"--base={base}")) == 0
    assert by_place(out) == due(TWO_ROUND)
    assert len(endpoint.requests) - before == len(due(TWO_ROUND))


def test_the_header_says_how_the_file_was_made(endpoint: Endpoint, tmp_path: Path) -> None:
    out = tmp_path / "p.jsonl"
    cli.main(words(endpoint, out, "--price=1,2", "--only=1,2", "--timeout=90", "--tries=3"))
    header = report_lines(out)[0]["generation"]
    assert (header["timeout"], header["tries"], header["at_a_time"]) == (90.0, 3, 4)
    assert header["endpoint"] == endpoint.url
    assert header["sampling"]["temperature"] == 0.0
    assert (header["answers"], header["unanswered"]) == (2, 0)
    assert header["answered_by"] == ["canned-1"]
    assert header["tokens"] == {"sent": 14, "answered": 6, "answers_uncounted": 0}
    assert header["price"] == {"sent": 1.0, "answered": 2.0, "total": 26e-6}


def test_what_has_no_answer_is_told_and_asked_for_again(
    endpoint: Endpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.mishap = lambda n: "400" if n == 5 else ""
    out = tmp_path / "p.jsonl"
    assert cli.main(words(endpoint, out)) == 3
    assert "No answer for task" in capsys.readouterr().err
    assert report_lines(out)[0]["generation"]["unanswered"] == 1
    before = len(endpoint.requests)
    assert cli.main(words(endpoint, out)) == 0
    assert len(endpoint.requests) == before + 1
    assert len(by_place(out)) == len(tasks_of(FAMILY))


@pytest.mark.parametrize(
    ("more", "said_of_it"),
    [
        (["--setting=oral"], "no setting 'oral'"),
        (["--setting=dynamic", "--samples=2"], "once for each task"),
        (["--base=/nowhere"], "begin with the Base completion"),
        (["--prompts=/nowhere"], "not a JSON file of prompts"),
        (["--only=nobody"], "do not exist: nobody"),
        (["--out=/nowhere/p"], "cannot be written"),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_asked(
    endpoint: Endpoint,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    more: list[str],
    said_of_it: str,
) -> None:
    assert cli.main(words(endpoint, tmp_path / "p", *more)) == 2
    assert said_of_it in capsys.readouterr().err
    assert not endpoint.requests


def test_a_file_of_somebody_else_is_not_written_over(endpoint: Endpoint, tmp_path: Path) -> None:
    (tmp_path / "p").write_text("mine")
    assert cli.main(words(endpoint, tmp_path / "p")) == 2
    assert (tmp_path / "p").read_text() == "mine"


def test_a_refusal_of_the_key_or_of_its_file_tells_nothing_of_it(
    endpoint: Endpoint,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # `--key` is parsed as an abbreviation of `--key-file`.
    assert cli.main(words(endpoint, tmp_path / "p", "--key", KEY)) == 2
    said_of_it = capsys.readouterr().err
    assert ("no readable key" in said_of_it, KEY in said_of_it) == (True, False)
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    endpoint.mishap = lambda _: "401"
    assert cli.main(words(endpoint, tmp_path / "p")) == 3
    said_of_it = capsys.readouterr().err
    assert "no luck with [key]" in said_of_it
    assert KEY not in said_of_it


def test_the_key_is_in_no_file_log_or_word_of_the_command(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    endpoint.pause = 0.1
    endpoint.mishap = lambda n: "429" if n % 5 == 2 else "500" if n % 5 == 3 else ""
    (tmp_path / "key").write_text(KEY + "\n")
    (tmp_path / "out").mkdir()
    # The libraries below log as much as they can.
    logs = {"OPENAI_LOG": "debug", "HTTPX_LOG_LEVEL": "trace", "PYTHONASYNCIODEBUG": "1"}
    environment = {**os.environ, **logs}
    command = words(endpoint, tmp_path / "out" / "p", f"--key-file={tmp_path / 'key'}")
    process = subprocess.Popen(
        [sys.executable, "-m", "evaluation", *command],
        cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    wait_for(lambda: len(endpoint.requests) > 1)
    told = Path(f"/proc/{process.pid}/cmdline").read_bytes()
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert {request.key for request in endpoint.requests} == {KEY}
    written = [path.read_bytes() for path in (tmp_path / "out").iterdir()]
    assert len(written) == 2
    assert all(KEY.encode() not in text for text in [told, out, err, *written])


@pytest.mark.parametrize(
    "how",
    [
        pytest.param(signal.SIGINT, id="ctrl-c"),
        pytest.param(signal.SIGTERM, id="sigterm", marks=pytest.mark.slow),
    ],
)
def test_an_interrupted_run_ends_at_once_and_says_how_to_go_on(
    endpoint: Endpoint, tmp_path: Path, how: signal.Signals
) -> None:
    out = tmp_path / "p.jsonl"
    # From the fifth message on, an answer takes a minute and a half.
    endpoint.mishap = lambda n: "late" if n > 4 else ""
    process = start(*words(endpoint, out))
    wait_for(lambda: len(endpoint.requests) >= 8)
    os.killpg(process.pid, how)
    done = finish(process, 30)
    assert (done.code, "the same command again to resume" in done.err) == (130, True), done.err
    assert "Traceback" not in done.err
    assert not out.exists()
    endpoint.mishap = lambda _: ""
    assert cli.main(words(endpoint, out)) == 0
    assert len(by_place(out)) == len(tasks_of(FAMILY))


@pytest.mark.slow
def test_a_run_that_is_killed_again_and_again_ends_as_one_that_was_not(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    """Killed by SIGKILL at 20 random points of time. No message whose answer was saved is asked
    again, and no more messages are answered twice than were in flight, four at a time."""
    out, chance, in_flight = tmp_path / "p.jsonl", random.Random(7), 0
    endpoint.pause = 0.02
    endpoint.mishap = lambda n: "429" if n % 9 == 4 else ""
    command = words(endpoint, out, "--setting=multi_turn")
    for _ in range(20):
        answered, seen = saved(out), len(endpoint.requests)
        process = subprocess.Popen(
            [sys.executable, "-m", "evaluation", *command],
            cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        requests = seen + chance.randrange(4)
        wait_for(lambda requests=requests: len(endpoint.requests) > requests)
        time.sleep(chance.random() / 20)
        os.killpg(process.pid, signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL, "it had ended before"
        wait_for(lambda: endpoint.under_way == 0)
        asked = {fingerprint(request.messages) for request in endpoint.requests[seen:]}
        assert not answered & asked
        in_flight += len(asked - saved(out))
    assert cli.main(command) == 0
    times = Counter(fingerprint(request.messages) for request in endpoint.answered)
    assert sum(times.values()) - len(times) <= in_flight <= 20 * 4
    assert by_place(out) == due(MULTI_TURN)
    assert set(times) == saved(out)


def saved(out: Path) -> set[str]:
    """The messages whose answers are on disk, as their fingerprints."""
    journal = out.with_name(out.name + ".journal")
    if not journal.exists():
        return set()
    whole = [json.loads(line) for line in journal.read_bytes().split(b"\n")[1:-1]]
    return {line["fingerprint"] for line in whole if "fingerprint" in line}


def test_an_endpoint_that_has_to_be_public_is_not_asked_where_it_is_not(
    endpoint: Endpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(words(endpoint, tmp_path / "p.jsonl", "--public")) == 3
    assert "must be an https address" in capsys.readouterr().err
    assert endpoint.requests == []
