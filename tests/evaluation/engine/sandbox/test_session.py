"""Tests of a session in a real container: facts in order, ends told apart, and tests judged as in
one process."""

# Programs and tests read best in a line each.
# ruff: noqa: E501

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluation.engine.errors import SandboxError, SandboxGone
from evaluation.engine.families.codeif_function import judging
from evaluation.engine.records import (
    Case,
    Execution,
    Generation,
    Integrity,
    Key,
    Limits,
    Status,
    Step,
    Stop,
    Task,
    Tier,
    Verdict,
)
from evaluation.engine.sandbox import docker
from evaluation.engine.sandbox.inside.plain import encode
from evaluation.engine.sandbox.inside.supervisor import MOST_DELAY
from evaluation.engine.sandbox.session import Session
from tests.support.overload import overload

from .pairs import PAIRS, Pair

pytestmark = pytest.mark.docker
LIMITS = Limits(cpu_seconds=2.0)


@pytest.fixture(scope="module")
def session(image: str) -> Iterator[Session]:
    with Session(
        image, LIMITS, warm=("inspect", "typing", "pycodestyle", "mccabe", "radon.complexity")
    ) as opened:
        yield opened


def script(program: str, **limits: Any) -> Execution:
    return Execution("script", {"program": program}, Limits(**{"cpu_seconds": 2.0, **limits}))


def case_of(program: str, tests: str, reference: str = "") -> Case:
    task = Task(
        "t",
        public={"prompt": "", "requirements": {}, "turns": ()},
        hidden={"test": tests, "unit_tests": {}, "code": reference},
    )
    return Case(task, Generation(Key("t", 0, None, 0), program), "base")


def judged(session: Session, case: Case) -> Verdict:
    steps: list[Step] = []
    following: Execution | None = judging.plan(case, LIMITS)
    while following is not None:
        steps.append(Step(following, session.run(following)))
        following = judging.proceed(case, steps)
    return judging.judge(case, steps)


FACTS = {
    "an end": ("pass", {"exit_code": 0, "signal": None, "stop": None}),
    "an exit code": ("import os; os._exit(3)", {"exit_code": 3, "signal": None, "report": None}),
    "a signal": ("import os; os.kill(os.getpid(), 11)", {"exit_code": None, "signal": 11}),
    "processor time": ("while True: pass", {"stop": Stop.CPU, "signal": 9}),
    "a child's processor time": (
        "import os\nos.fork()\nwhile True: pass", {"stop": Stop.CPU, "signal": 9}),
    "output": ("import os\nwhile True: os.write(1, bytes(65536))", {"stop": Stop.OUTPUT}),
    "output on the other stream": (
        "import os\nwhile True: os.write(2, bytes(65536))", {"stop": Stop.OUTPUT}),
    "a report without end": (
        "import os\nwhile True: os.write(4, bytes(65536))", {"stop": Stop.OUTPUT, "report": None}),
    "a report that is none": ("import os\nos.write(4, b'\\0\\0\\0\\2[]'); os._exit(0)", {"report": None}),
    "a report too short": ("import os\nos.write(4, b'\\0\\0\\1\\0{}'); os._exit(0)", {"report": None}),
}  # fmt: skip


@pytest.mark.parametrize(("program", "facts"), FACTS.values(), ids=FACTS.keys())
def test_the_facts_of_an_end(session: Session, program: str, facts: dict[str, Any]) -> None:
    outcome = session.run(script(program, cpu_seconds=0.5, wall_factor=20))
    assert {name: getattr(outcome, name) for name in facts} == facts


def test_waiting_for_a_processor_is_no_wall_time_and_sleeping_is(session: Session) -> None:
    program = "import time\nwhile time.process_time() < 0.2: pass"
    limits = {"cpu_seconds": 0.75, "wall_factor": 1.0}
    with overload(6):
        outcome = session.run(script(program, **limits))
        sleeper = session.run(script("import time; time.sleep(60)", **limits))
    # How much the others take depends on the kernel's groups: a container may have a share of its own.
    # On a machine with still more work the run may reach the most that is no wall time.
    ended: Any = (None, {"ended": True, "error": None})
    at_most = outcome.delay_seconds >= MOST_DELAY * limits["cpu_seconds"]
    ends = (ended, (Stop.WALL, None)) if at_most else (ended,)
    assert (outcome.stop, outcome.report) in ends
    assert at_most or outcome.wall_seconds - outcome.delay_seconds < 0.75
    assert sleeper.stop is Stop.WALL
    assert sleeper.wall_seconds >= 0.75
    assert sleeper.cpu_seconds < 0.3


def test_processor_time_and_memory_are_measured(session: Session) -> None:
    program = "import time\nkept = bytearray(100 * 2**20)\nwhile time.process_time() < 0.5: pass"
    outcome = session.run(script(program))
    assert 0.4 < outcome.cpu_seconds < 0.9
    assert 100 * 1024 < outcome.peak_memory_kib < 200 * 1024


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("print('hé')", "hé\n"),
        ("print('x' * 10000)", "x" * 4096),
        (r"import os; os.write(1, b'\xff' * 5000)", "\ufffd" * 4096),
    ],
)
def test_output_is_an_excerpt(session: Session, program: str, said: str) -> None:
    assert session.run(script(program)).output == said


@pytest.mark.parametrize("letter", "xя語😀")
def test_results_and_output_have_the_same_limit_in_every_alphabet(
    session: Session, letter: str
) -> None:
    program = f"def f(n, prints):\n    s = {letter!r} * n\n    return print(s) if prints else s"
    for number, stop in ((5_000_000, None), (9_000_000, Stop.OUTPUT)):
        for prints, result in ((False, ["value", letter * number]), (True, ["none"])):
            payload: Any = {"program": program, "entry_point": "f"}
            payload["tests"] = [encode({"n": number, "prints": prints})]
            outcome = session.run(Execution("calls", payload, LIMITS))
            assert outcome.stop is stop
            assert stop or (outcome.report or {})["results"] == [result]


def test_deep_arguments_reach_the_function(session: Session) -> None:
    value: list[Any] = []
    for _ in range(200):
        value = [value]
    payload: Any = {"program": "def f(n):\n    return len(n)", "entry_point": "f"}
    payload["tests"] = [encode({"n": value})]
    report = session.run(Execution("calls", payload, LIMITS)).report
    assert (report or {})["results"] == [["value", "1"]]


def test_a_function_may_read_its_own_file(session: Session) -> None:
    program = "def f(n):\n    return open(__file__).read()[n:]"
    payload: Any = {"program": program, "entry_point": "f", "tests": [encode({"n": 3})]}
    report = session.run(Execution("calls", payload, LIMITS)).report
    assert (report or {})["results"] == [["value", program[3:]]]


def test_what_went_to_stderr_is_kept_apart_as_well(session: Session) -> None:
    program = "import os\nos.write(1, b'out\\n')\nos.write(2, b'err\\n')\n"
    said = session.run(script(program))
    assert (said.errors, sorted(said.output.split())) == ("err\n", ["err", "out"])
    # Enough wall time for a busy machine to give the program its processor time.
    stopped = session.run(script(f"{program}while True: pass", cpu_seconds=0.2, wall_factor=100))
    assert (stopped.stop, stopped.errors) == (Stop.CPU, "err\n")
    long = session.run(script("import os\nos.write(2, b'x' * 10000)"))
    assert len(long.errors) == 4096


ENDS_IN_AN_ERROR = {
    "an assertion": "def f(x):\n    return x\nassert f(1) == 2, f'{f(1)} is not 2'\n",
    "raised further down": "def f(x):\n    return 1 / x\n\nf(0)\n",
    "a string without end": "f = 'x\n",
    "an exit": "import sys\nsys.exit(3)\n",
    "an exit in words": "import sys\nsys.exit('enough')\n",
    "words of several lines": "raise ValueError('one\\ntwo')\n",
}


@pytest.mark.parametrize("program", ENDS_IN_AN_ERROR.values(), ids=ENDS_IN_AN_ERROR.keys())
def test_a_script_s_error_is_told_as_python_tells_it(
    session: Session, program: str, tmp_path: Path
) -> None:
    file = tmp_path / "program.py"
    file.write_text(program)
    own = subprocess.run([sys.executable, file], capture_output=True, text=True, check=False)
    report = session.run(script(program)).report
    assert isinstance(report, dict) and isinstance(report["error"], dict)
    assert report["error"]["trace"] == own.stderr.replace(str(file), "/work/program.py")


def test_an_error_that_cannot_be_told_is_an_error_all_the_same(session: Session) -> None:
    program = "class Odd(Exception):\n    def __str__(self):\n        raise SystemExit\nraise Odd\n"
    report = session.run(script(program)).report
    assert isinstance(report, dict) and isinstance(report["error"], dict)
    assert (report["ended"], report["error"]["type"]) == (False, "Odd")


def test_beside_a_judge_only_the_program_itself_says_anything(session: Session) -> None:
    """Whichever of the two processes ends first."""
    quiet = judging.plan(case_of("def f():\n    return 1\n", "assert f() == 2"), LIMITS)
    assert {session.run(quiet).output for _ in range(25)} == {""}


def test_outcomes_come_in_the_order_of_their_runs_and_large_programs_do_not_block(
    session: Session,
) -> None:
    filler = "#" + "x" * 2**20
    outcomes = session.run_all(script(f"{filler}\nprint({n})") for n in range(6))
    assert [outcome.output for outcome in outcomes] == [f"{n}\n" for n in range(6)]


def test_a_container_removed_in_a_batch_ends_it_in_its_run(image: str) -> None:
    with Session(image, LIMITS) as lost:
        outcomes = lost.run_all(
            script(f"import time\nprint({n})\ntime.sleep({n})") for n in range(5)
        )
        assert next(outcomes).output == "0\n"
        lost.abort()
        with pytest.raises(SandboxGone):
            next(outcomes)


def test_a_session_leaves_no_container(image: str) -> None:
    with Session(image, LIMITS) as opened:
        known = docker.client().api.containers(filters={"label": docker.LABEL})
        assert opened.container.id in {entry["Id"] for entry in known}
    left = docker.client().api.containers(all=True, filters={"label": docker.LABEL})
    assert opened.container.id not in {entry["Id"] for entry in left}


def test_an_image_that_is_missing_is_said_plainly() -> None:
    with pytest.raises(SandboxError, match="make setup"):
        Session("assay-no-such-image:0", LIMITS)


def test_too_little_memory_is_said_plainly(image: str) -> None:
    with pytest.raises(SandboxError, match="at least"):
        Session(image, Limits(cpu_seconds=1, memory=2**20))


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_stand_ins_judge_as_one_process_does(session: Session, pair: Pair) -> None:
    verdict = judged(session, case_of(pair.program, pair.tests, pair.program))
    alone = session.run(script(f"{pair.program}\n{pair.tests}"))
    ended = (alone.report or {}).get("ended") is True
    assert verdict.status is Status.PASSED if ended else verdict.status is not Status.PASSED
    assert ended is pair.passes
    assert (judging.ONE_PROCESS in verdict.flags) is pair.falls_back


EQUAL = "    def __eq__(self, other):\n        return {}\n"
# A program, tests, and a reference that returns plain data.
REDUCED = {
    "a data class": (
        "from dataclasses import astuple, dataclass\n@dataclass\nclass P:\n    x: int\n    y: int\n"
        "    def __iter__(self):\n        return iter(astuple(self))\n"
        + EQUAL.format("astuple(self) == tuple(other)")
        + "def f(x):\n    return P(x, 2)\n",
        "assert f(1) == (1, 2)\nassert f(3).x == 3\n_, two = f(1)\nassert two == 2",
        "from collections import namedtuple\nP = namedtuple('P', 'x y')\n"
        "def f(x):\n    return P(x, 2)\n",
    ),
    "an enumeration": (
        "from enum import Enum\nclass E(Enum):\n    A = 1\n"
        + EQUAL.format("self.value == other")
        + "def f(x):\n    return E(x)\n",
        "assert f(1) == 1",
        "def f(x):\n    return x\n",
    ),
    "a mapping": (
        "from collections import UserDict\nclass D(UserDict):\n    def get(self, *key):\n"
        "        return super().get(*key)\ndef f(x):\n    return D(a=x)\n",
        "assert f(1).get('a') == 1 and f(1).get('b', 3) == 3",
        "def f(x):\n    return {'a': x}\n",
    ),
    "a collection": (
        "class C:\n    def __len__(self):\n        return 2\n    def __iter__(self):\n"
        "        return iter((1, 2))\n    def __contains__(self, item):\n        return item in (1, 2)\n"
        "def f():\n    return C()\n",
        "assert len(f()) == 2 and 1 in f() and 3 not in f()",
        "def f():\n    return [1, 2]\n",
    ),
    "a fraction": (
        "from fractions import Fraction\nclass F(Fraction):\n    pass\ndef f(x):\n    return F(x, 2)\n",
        "assert f(3) == 1.5",
        "def f(x):\n    return x / 2\n",
    ),
    "a time in a zone": (
        "from datetime import datetime, timedelta, tzinfo\nclass Z(tzinfo):\n"
        "    def utcoffset(self, at):\n        return timedelta(hours=2)\n"
        "    def dst(self, at):\n        return None\n"
        "def f():\n    return datetime(2024, 1, 1, tzinfo=Z())\n",
        "assert f().isoformat() == '2024-01-01T00:00:00+02:00'",
        "from datetime import datetime, timedelta, timezone\n"
        "def f():\n    return datetime(2024, 1, 1, tzinfo=timezone(timedelta(hours=2)))\n",
    ),
}


@pytest.mark.parametrize("name", REDUCED)
def test_objects_whose_plain_data_pass_make_no_pass_suspect(session: Session, name: str) -> None:
    verdict = judged(session, case_of(*REDUCED[name]))
    assert (verdict.status, verdict.integrity) == (Status.PASSED, Integrity.CLEAN)
    assert (verdict.tier, verdict.flags) == (Tier.OUTSIDE, ())


@pytest.mark.parametrize("data", ["(3,)", "()"])
def test_objects_whose_plain_data_fail_stay_suspect(session: Session, data: str) -> None:
    program = f"class P:\n    def __iter__(self):\n        return iter({data})\n    def __len__(self):\n        return 1\n"
    program += EQUAL.format("True") + "def f(x):\n    return P()\n"
    verdict = judged(session, case_of(program, "assert f(1) == [1]", "def f(x):\n    return [x]\n"))
    assert (verdict.integrity, verdict.tier) == (Integrity.SUSPECT, Tier.SHARED)
    assert verdict.flags == (judging.ONE_PROCESS,)


def test_an_attribute_that_raises_stop_iteration_ends_no_iteration_of_the_tests(
    session: Session,
) -> None:
    program = (
        "class Own:\n    @property\n    def n(self):\n        raise StopIteration\n"
        "def f():\n    return Own()\n"
    )
    tests = "for held in map(lambda own: own.n == 3, [f()]):\n    assert held"
    verdict = judged(session, case_of(program, tests, program))
    assert (verdict.tier, verdict.status) == (Tier.OUTSIDE, Status.RUNTIME_ERROR)


def test_an_iterator_may_end_what_it_is_handed_to_in_one_process(session: Session) -> None:
    program = (
        "class Own:\n    def __init__(self):\n        self.n = 0\n"
        "    def __iter__(self):\n        return self\n    def __next__(self):\n"
        "        self.n += 1\n        if self.n > 2:\n            raise StopIteration\n"
        "        return self.n\n    def left(self):\n        return 2 - self.n\n"
        "def f():\n    return Own()\n"
    )
    tests = (
        "assert list(map(str, f())) == ['1', '2']\n"
        "assert list(iter(f().__next__, 9)) == [1, 2]\nassert sum(f()) == 3\n"
        "assert f().left() == 2"
    )
    verdict = judged(session, case_of(program, tests, program))
    assert (verdict.tier, verdict.passed) == (Tier.SHARED, True)
