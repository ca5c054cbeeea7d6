"""Tests of RealCode's verdicts on tasks that the builder makes from real projects
(ASSAY_REPOSITORIES).

For each task three generations are judged three times: the right body, a body that does nothing,
and the right body with one error. Some are also run by hand."""

import hashlib
import io
import json
import re
import time
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from evaluation.engine.preparation.reference_runs import sound
from evaluation.engine.records import Reference, TaskId
from tests.support import by_hand, near_misses
from tests.support.commands import command, judged_lines, report_lines, write_lines
from tests.support.repositories import kept_of, needs, place

IMAGE = "python:3.11.11-slim-bookworm"
RIGHT, STUB, SLIP = range(3)
EVALUATIONS = 3
STUBS = ("pass", 'return ""')
# The fields that must be equal each time a generation is judged.
VERDICT = ("status", "integrity", "passed", "tests_passed", "tests_total")
BY_HAND = ("passed", "tests_passed", "tests_total")
REFERENCES = {"pass_oracle@1": 1.0, "pass_stub_pass@1": 0.0, "pass_stub_empty_str@1": 0.0}
SLIPS = {
    "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "+": "-", "-": "+",
    "and": "or", "or": "and", "True": "False", "False": "True", "in": "not in", "is": "is not",
    "return": "return not", "if": "if not",
}  # fmt: skip

pytestmark = [pytest.mark.acceptance, pytest.mark.docker, pytest.mark.timeout(3600)]


class Source(NamedTuple):
    """A repository, the number of tasks made from it, and the number of their generations that
    are run by hand. If a project's whole suite takes long, some of its files are enough."""

    repository: str
    commit: str
    build: str
    test: str
    tasks: int
    by_hand: int


SOURCES = (
    Source(
        "mlizzi/slack-progress-bar",
        "d2d6d955fb8a0423ab89c1bac6c4f70101e6b8af",
        "pip install .; pip install pytest; pip install pytest-json-report;",
        "pytest tests --json-report --json-report-file=report_pytest.json",
        4,
        5,
    ),
    Source(
        "mahmoud/boltons",
        "967864f89791509f9eb36b22b4579d36b72a6df2",
        "pip install . ; pip install pytest",
        "pytest tests/test_dictutils.py tests/test_iterutils.py tests/test_mathutils.py "
        "tests/test_setutils.py tests/test_statsutils.py tests/test_tableutils.py "
        "tests/test_timeutils.py",
        40,
        5,
    ),
    Source(
        "mjs/imapclient",
        "248f09afb844ee2e4c402eb364883bbf8c8b9108",
        "pip install . ; pip install pytest",
        # Without the files that test parsing: with a body that does nothing the lexer never ends.
        "pytest tests/test_auth.py tests/test_datetime_util.py tests/test_enable.py "
        "tests/test_fixed_offset.py tests/test_folder_status.py tests/test_imap_utf7.py "
        "tests/test_init.py tests/test_starttls.py tests/test_util_functions.py",
        8,
        5,
    ),
    Source(
        "jpadilla/pyjwt",
        "dcc27a9d3182a2349c30b160758785c6ce7a6508",
        "pip install '.[crypto]' ; pip install pytest",
        "pytest tests/test_api_jwt.py tests/test_compressed_jwt.py tests/test_utils.py",
        8,
        5,
    ),
)


def test_there_are_sixty_tasks_of_four_repositories_and_twenty_runs_by_hand() -> None:
    assert sum(source.tasks for source in SOURCES) >= 60
    assert sum(source.by_hand for source in SOURCES) >= 20
    assert len(SOURCES) >= 4


@dataclass(frozen=True)
class Judged:
    """A repository's tasks by id; their generations, in the order of the names above; the report
    lines of each evaluation by task and sample; the scores of the first evaluation; the stored
    references of each task by name; the base image in which the project was built; and the lines of
    runs near a limit, judged again under the benchmark's own."""

    source: Source
    tasks: dict[int, dict[str, Any]]
    generations: dict[int, list[str]]
    lines: list[dict[tuple[int, int], dict[str, Any]]]
    scores: dict[str, float]
    references: Mapping[TaskId, Mapping[str, Reference]]
    base: str
    unbounded: dict[tuple[int, int], dict[str, Any]]


@pytest.fixture(
    scope="module",
    params=[pytest.param(x, id=x.repository, marks=needs(x.repository, x.commit)) for x in SOURCES],
)
def judged(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, projects: Path
) -> Judged:
    source: Source = request.param
    folder = tmp_path_factory.mktemp(source.repository.replace("/", "-"))
    tasks = built(source, folder / "tasks.jsonl")
    generations = {id: generations_of(source, meta) for id, meta in tasks.items()}
    write(folder / "predictions.jsonl", generations)
    seconds = [evaluated(folder, f"{number}") for number in range(EVALUATIONS)]
    kept, references = kept_of("realcode", folder / "tasks.jsonl")
    reports = [report_lines(folder / f"{number}.jsonl") for number in range(EVALUATIONS)]
    scores = json.loads((folder / "0.summary.json").read_text("utf-8"))
    told = ", ".join(f"{each:.0f}" for each in seconds)
    print(
        f"{source.repository}: evaluations took {told} s; in the first the project was made ready "
        f"and its references run, {_together(references.values()):.0f} s one after another"
    )
    return Judged(
        source,
        tasks,
        generations,
        [{(x["task_id"], x["sample"]): x for x in lines} for lines in reports],
        {x["metric"]: x["value"] for x in scores if x["slice"] == "overall"},
        references,
        re.findall("sha256:[0-9a-f]{64}", kept.prepared.base)[-1],
        unbounded(folder, generations, reports[0]),
    )


def write(predictions: Path, generations: Mapping[int, list[str]]) -> None:
    records = [{"task_id": id, "outputs": texts} for id, texts in generations.items()]
    write_lines(predictions, records)


def unbounded(
    folder: Path, generations: Mapping[int, list[str]], lines: Iterable[dict[str, Any]]
) -> dict[tuple[int, int], dict[str, Any]]:
    """The lines of runs near a limit, judged once more under the benchmark's limits."""
    limits = near_misses.bounds("realcode", folder / "tasks.jsonl")
    near = sorted((x["task_id"], x["sample"]) for x in near_misses.near(lines, limits))
    if not near:
        return {}
    again: dict[int, list[str]] = {}
    for id, sample in near:
        again.setdefault(id, []).append(generations[id][sample])
    write(folder / "near.predictions.jsonl", again)
    with near_misses.benchmark_limits():
        evaluated(folder, "near", "near.predictions.jsonl")
    found = sorted(report_lines(folder / "near.jsonl"), key=lambda x: (x["task_id"], x["sample"]))
    return dict(zip(near, found, strict=True))


def built(source: Source, out: Path) -> dict[int, dict[str, Any]]:
    """The tasks that the builder makes of the repository, by id."""
    began = time.monotonic()
    done = command(
        "build-tasks", "--repository", source.repository, "--commit", source.commit,
        "--image", IMAGE, "--build-command", source.build, "--test-command", source.test,
        "--language", "python", "--most", str(source.tasks), "--out", out, "--workers", "2",
        seconds=1800,
    )  # fmt: skip
    assert done.code == 0, done.err
    print(f"\n{source.repository}: tasks built in {_since(began)}: {done.out.strip()}")
    return {line["meta"]["id"]: line["meta"] for line in report_lines(out)}


def evaluated(folder: Path, name: str, predictions: str = "predictions.jsonl") -> float:
    """Judges the predictions. Returns the seconds that it took."""
    began = time.monotonic()
    judged_lines(
        "realcode", "--tasks", folder / "tasks.jsonl", "--predictions", folder / predictions,
        "--summary", folder / f"{name}.summary.json", report=folder / f"{name}.jsonl",
        seconds=1800,
    )  # fmt: skip
    return time.monotonic() - began


def _together(references: Iterable[Mapping[str, Reference]]) -> float:
    return sum(each.duration_ms for known in references for each in known.values()) / 1000


def _since(began: float) -> str:
    return f"{time.monotonic() - began:.0f} s"


def generations_of(source: Source, meta: dict[str, Any]) -> list[str]:
    """The right body, a stub, and a slip, as models write them: bare or in a fence."""
    right, number = meta["gt"], meta["id"]
    bodies = right, indent_of(right) + STUBS[number % 2], slipped(source, meta)
    return [answer(meta, body, number + n) for n, body in enumerate(bodies)]


def answer(meta: dict[str, Any], body: str, turn: int) -> str:
    """The body in one of three forms by turn: bare, in a fence, or in a fence behind a signature.
    The engine extracts the same body from each. A body that defines the function's own name again
    always gets a signature."""
    name = meta["intent"].removesuffix("[function]")
    own = re.search(rf"^\s*(async\s+)?(def|class)\s+{name}\b", body, re.MULTILINE)
    form = 2 if own else turn % 3
    signed = f"def {name}(*given, **named):\n{body}" if form == 2 else body
    return signed if form == 0 else f"Here it is:\n\n```python\n{signed}\n```\n"


def slipped(source: Source, meta: dict[str, Any]) -> str:
    """The right body with one comparison, constant, operator or result changed, always the same
    one. If none can be changed, a body that returns None."""
    right: str = meta["gt"]
    variants = list(_slips(right))
    told = f"{source.repository} {meta['fn']} {meta['intent']}"
    first = int(hashlib.sha256(told.encode()).hexdigest(), 16) % max(1, len(variants))
    in_turn = [*variants[first:], *variants[:first], indent_of(right) + "return None"]
    return next(text for text in in_turn if _compiles(by_hand.joined(meta, text)))


def indent_of(body: str) -> str:
    (blanks,) = re.findall(r"\A\n*([ \t]*)", body)
    return str(blanks)


def _slips(body: str) -> Iterator[str]:
    """The body with one token changed, for each token that can be changed. If a loop might then
    not end, only returned values are changed."""
    lines = body.split("\n")
    before = tokenize.INDENT
    tokens = list(tokenize.generate_tokens(io.StringIO(f"def f():\n{body}\n").readline))
    loops = any(token.string == "while" for token in tokens)
    for token in tokens:
        changed = _changed(token, before)
        if changed and (not loops or token.string == "return"):
            (row, start), (last, end) = token.start, token.end
            # Row 1 is the line that was put before the body.
            head, tail = lines[row - 2][:start], lines[last - 2][end:]
            yield "\n".join([*lines[: row - 2], head + changed + tail, *lines[last - 1 :]])
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            before = token.type


def _changed(token: tokenize.TokenInfo, before: int) -> str:
    """The changed text of the token; "" if a slip does not change it. `before` is the type of the
    token before it: it shows whether a text is a separate statement, which does nothing."""
    alone = before in (tokenize.INDENT, tokenize.NEWLINE, tokenize.DEDENT)
    if token.type == tokenize.NUMBER:
        return f"({token.string} + 1)"
    if token.type == tokenize.STRING and not alone:
        return f"{token.string} {'b' if 'b' in token.string[:2].lower() else ''}'x'"
    return SLIPS.get(token.string, "") if token.type in (tokenize.OP, tokenize.NAME) else ""


def _compiles(text: str) -> bool:
    try:
        compile(text, "slip", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def test_the_reference_solutions_of_all_tasks_pass_and_no_stub_does(judged: Judged) -> None:
    assert len(judged.tasks) == judged.source.tasks
    found = {name: judged.scores[name] for name in REFERENCES}
    assert found == REFERENCES
    assert judged.references.keys() == judged.tasks.keys()
    assert all(known and sound(known) for known in judged.references.values())


def test_right_bodies_pass_clean_and_stubs_fail(judged: Judged) -> None:
    (first, *_) = judged.lines
    assert len(first) == len(judged.tasks) * 3
    told = {id: (first[id, RIGHT]["status"], first[id, RIGHT]["integrity"]) for id in judged.tasks}
    assert told == dict.fromkeys(judged.tasks, ("passed", "clean"))
    assert not [id for id in judged.tasks if first[id, STUB]["status"] == "passed"]


def test_three_evaluations_give_identical_verdicts(judged: Judged) -> None:
    told = [
        {key: tuple(line[name] for name in VERDICT) for key, line in lines.items()}
        for lines in judged.lines
    ]
    slips = Counter(line[:2] for (_, sample), line in told[0].items() if sample == SLIP)
    print(f"{judged.source.repository}: bodies with a slip: {dict(slips)}")
    assert len(told) == EVALUATIONS
    assert told[1:] == told[:1] * (EVALUATIONS - 1)


def test_no_run_near_a_limit_has_another_verdict_under_the_benchmarks(judged: Judged) -> None:
    again = {key: near_misses.verdict(line) for key, line in judged.unbounded.items()}
    assert again == {key: near_misses.verdict(judged.lines[0][key]) for key in again}


def test_verdicts_equal_those_of_tests_run_by_hand(judged: Judged, tmp_path: Path) -> None:
    source, began = judged.source, time.monotonic()
    where = place(source.repository, source.commit)
    assert where is not None
    sample = sampled(judged)
    with by_hand.Checkout(where, source.commit, judged.base, source.build, tmp_path) as checkout:
        untouched = checkout.passed(source.test)
        found = {key: _by_hand(judged, checkout, untouched, key) for key in sample}
    lines = judged.lines[0]
    told = {key: tuple(lines[key][name] for name in BY_HAND) for key in sample}
    agree = sum(found[key] == told[key] for key in sample)
    print(f"{source.repository}: {agree} of {len(sample)} as by hand, in {_since(began)}; of these "
          f"{sum(passed for passed, *_ in found.values())} pass")  # fmt: skip
    assert len(sample) == source.by_hand
    assert found == told


def sampled(judged: Judged) -> list[tuple[int, int]]:
    """The keys of right bodies, slips and stubs of tasks from the first to the last."""
    ids, count = sorted(judged.tasks), judged.source.by_hand
    turns = (RIGHT, SLIP, STUB, SLIP, SLIP)
    chosen = [ids[number * len(ids) // count] for number in range(count)]
    return [(id, turns[number % len(turns)]) for number, id in enumerate(chosen)]


def _by_hand(
    judged: Judged, checkout: by_hand.Checkout, untouched: frozenset[str], key: tuple[int, int]
) -> tuple[bool, int, int]:
    """Whether the generation passes by the authors' rule; how many of the untouched project's tests
    pass, and how many there are."""
    id, sample = key
    meta = judged.tasks[id]
    text = by_hand.file_under_test(meta, judged.generations[id][sample])
    passed = checkout.passed(judged.source.test, {meta["fn"]: text})
    return bool(passed) and untouched <= passed, len(untouched & passed), len(untouched)
