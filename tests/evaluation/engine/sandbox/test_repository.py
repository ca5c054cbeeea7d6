"""Tests of the runner `repository` in real containers: how tests ended, and runs that only seem to
end."""

# Programs and tests read best in a line each.
# ruff: noqa: E501

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.families.codeif_repository.judging import failures
from evaluation.engine.records import Outcome, Prepared, Stop
from evaluation.engine.sandbox.fresh import Fresh
from evaluation.engine.sandbox.inside import frames
from evaluation.engine.sandbox.inside.repository import EVENTS_MOST, OUTCOMES, Sessions
from tests.support.projects import LIMITS, outcome, prepared, run

pytestmark = pytest.mark.docker
# Processes without end take as long to end as there may be many of them.
FEW = replace(LIMITS, pids=48)
PYTEST = "python3 -m pytest -q -p no:cacheprovider tests"
MODULE = "def twice(x):\n    return x + x\n"
TESTS = "from module import twice\n\n\ndef test_twice():\n    assert twice(2) == 4\n"
PASSED = {"tests/test_module.py::test_twice": ["passed", ""]}


@pytest.fixture(scope="module")
def project() -> Prepared:
    return prepared(
        {"module.py": "raise ImportError\n", "tests/test_module.py": "raise ImportError\n"}
    )


@pytest.fixture(scope="module")
def sandbox(project: Prepared) -> Iterator[Fresh]:
    with Fresh(project, FEW) as opened:
        yield opened


def reported(
    sandbox: Fresh, module: str, tests: str = TESTS, command: str = PYTEST
) -> dict[str, Any]:
    """The report on a module."""
    files = {"module.py": module, "tests/test_module.py": tests}
    found = outcome(sandbox, run(command, files))
    return told_by(found)


def told_by(found: Outcome) -> dict[str, Any]:
    """The report without its audit."""
    assert found.report is not None, found
    told = dict(found.report)
    assert type(told.pop("events")) is list
    assert type(told.pop("asked")) is int
    return told


KINDS = """
import pytest
def test_passed(): pass
def test_failed(): assert 1 == 2, "first line\\nsecond line"
@pytest.mark.parametrize("x", ["a b", "c::d", "ж"])
def test_parametrised(x): pass
@pytest.fixture
def broken(): raise ValueError("setup")
def test_setup(broken): pass
@pytest.fixture
def late():
    yield
    raise ValueError("teardown")
def test_teardown(late): pass
def test_both(late): assert 0
@pytest.mark.skip(reason="why")
def test_skipped(): pass
@pytest.mark.xfail
def test_xfailed(): assert 0
@pytest.mark.xfail
def test_xpassed(): pass
@pytest.mark.xfail(strict=True)
def test_strict(): pass
class TestClass:
    def test_method(self): pass
"""
EXPECTED = {
    "test_passed": ["passed", ""],
    "test_failed": ["failed", "AssertionError: first line"],
    "test_parametrised[a b]": ["passed", ""],
    "test_parametrised[c::d]": ["passed", ""],
    r"test_parametrised[\u0436]": ["passed", ""],
    "test_setup": ["error", "ValueError: setup"],
    "test_teardown": ["error", "ValueError: teardown"],
    "test_both": ["error", "assert 0"],
    "test_skipped": ["skipped", "Skipped: why"],
    "test_xfailed": ["xfailed", "assert 0"],
    "test_xpassed": ["xpassed", ""],
    "test_strict": ["failed", "[XPASS(strict)]"],
    "TestClass::test_method": ["passed", ""],
}


@pytest.mark.parametrize("options", ["", " -n 2"], ids=["in one process", "in workers"])
def test_outcomes_are_those_of_pytest(sandbox: Fresh, options: str) -> None:
    report = reported(sandbox, MODULE, KINDS, PYTEST + options)
    expected = {f"tests/test_module.py::{name}": found for name, found in EXPECTED.items()}
    assert report == {"exit": 1, "complete": True, "tests": expected}


PARTS = """
import unittest
from module import twice
class TestParts(unittest.TestCase):
    def test_parts(self):
        for x in (1, 2):
            with self.subTest(x=x):
                self.assertEqual(twice(x), x + x)
"""
SKIPS = (
    "import doctest\ndef twice(x):\n    if x > 1: raise doctest.unittest.SkipTest\n    return 2\n"
)


@pytest.mark.parametrize(("module", "skips"), [(SKIPS, True), (MODULE, False)])
def test_a_skipped_part_of_a_test_is_an_event(sandbox: Fresh, module: str, skips: bool) -> None:
    files = {"module.py": module, "tests/test_module.py": PARTS}
    found = outcome(sandbox, run(PYTEST.replace(" -q", ""), files))
    id = "tests/test_module.py::TestParts::test_parts"
    assert found.report is not None and found.report["tests"] == {id: ["passed", ""]}
    events = found.report["events"]
    assert isinstance(events, list)
    assert (["skipped part", "", id, "", 0] in events) is skips


# More ways are in the corpus of projects.
LEAVES_EARLY = {
    "by pytest's own way": "import pytest\ndef twice(x): pytest.exit('done', returncode=0)",
    "by an interrupt": "def twice(x): raise KeyboardInterrupt",
    "by another program": "import os\ndef twice(x): os.execv('/bin/true', ['true'])",
    "by ending its parents": "import os\ndef twice(x):\n    for pid in os.listdir('/proc'):\n"
    "        if pid.isdigit() and int(pid) not in (1, os.getpid()):\n"
    "            try: os.kill(int(pid), 9)\n            except OSError: pass\n    os._exit(0)",
}  # fmt: skip


@pytest.mark.parametrize("module", LEAVES_EARLY.values(), ids=LEAVES_EARLY.keys())
def test_who_leaves_early_is_not_complete(sandbox: Fresh, module: str) -> None:
    found = outcome(sandbox, run(PYTEST, {"module.py": module, "tests/test_module.py": TESTS}))
    report = found.report or {"complete": False, "tests": {}}
    assert (report["complete"], report["tests"]) == (False, {})


FORGES = """
import json, os, struct
def frame(value):
    body = json.dumps(value).encode()
    return struct.pack(">I", len(body)) + body
tests = {"tests/test_module.py::test_twice": ["passed", ""]}
said = b"".join(map(frame, ({"finished": False}, {"finished": True, "complete": True, "tests": tests},
                            {"exit": 0, "complete": True, "tests": tests})))
def twice(x):
    for fd in range(3, 1024):
        try: os.write(fd, said)
        except OSError: pass
    os._exit(0)
"""


def test_no_descriptor_leads_to_a_report(sandbox: Fresh) -> None:
    report = reported(sandbox, FORGES)
    assert (report["complete"], report["tests"]) == (False, {})


def test_a_session_within_a_session_is_not_heard(sandbox: Fresh) -> None:
    inner = "import subprocess, sys, pytest\ndef test_inner():\n    assert 0\n"
    module = (
        "import subprocess, sys\ndef twice(x):\n"
        "    assert subprocess.run([sys.executable, '-m', 'pytest', '-q', 'inner.py']).returncode == 1\n"
        "    return x + x\n"
    )
    files = {"module.py": module, "tests/test_module.py": TESTS, "inner.py": inner}
    assert told_by(outcome(sandbox, run(PYTEST, files))) == {
        "exit": 0,
        "complete": True,
        "tests": PASSED,
    }


def test_sessions_in_a_row_are_joined_and_no_failure_is_forgotten(sandbox: Fresh) -> None:
    tests = "import os\ndef test_a(): assert 'AGAIN' in os.environ\ndef test_b(): pass\n"
    command = f"{PYTEST} -k test_a; export AGAIN=1; {PYTEST}"
    report = reported(sandbox, MODULE, tests, command)
    assert report["complete"] is True
    outcomes = {name.rpartition("::")[2]: found[0] for name, found in report["tests"].items()}
    assert outcomes == {"test_a": "failed", "test_b": "passed"}


def test_one_session_of_several_that_leaves_early_makes_the_run_incomplete(sandbox: Fresh) -> None:
    module = "import os\nif 'AGAIN' in os.environ: os._exit(0)\n" + MODULE
    report = reported(sandbox, module, TESTS, f"{PYTEST}; AGAIN=1 {PYTEST}")
    assert (report["complete"], report["tests"]) == (False, PASSED)


def test_the_channel_is_found_where_a_program_closes_descriptors(sandbox: Fresh) -> None:
    command = (
        f"python3 -c 'import subprocess; subprocess.run(\"{PYTEST}\".split(), close_fds=True)'"
    )
    assert reported(sandbox, MODULE, TESTS, command)["tests"] == PASSED


WRITES_LATER = """
import os, sys, time
text = '<testsuite><testcase classname="a.B" name="c"/></testsuite>'
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in range(10**6):
            os.makedirs("target/surefire-reports", exist_ok=True)
            with open("target/surefire-reports/TEST-a.B.xml.part", "w") as file: file.write(text)
            if os.getppid() == 1 and not os.path.exists("/proc/%s" % sys.argv[1]):
                os.rename("target/surefire-reports/TEST-a.B.xml.part", "target/surefire-reports/TEST-a.B.xml")
            time.sleep(0.001)
    os._exit(0)
"""


def surefire(sandbox: Fresh, command: str) -> dict[str, Any]:
    found = outcome(sandbox, run(command, {"program.py": WRITES_LATER}, "surefire"))
    assert found.report is not None, found
    return dict(found.report)


REPORT = 'mkdir -p m/target/surefire-reports; echo \'<testsuite><testcase classname="a.B" name="c"/></testsuite>\' > m/target/surefire-reports/TEST-a.B.xml'


def test_surefires_reports_are_read(sandbox: Fresh) -> None:
    assert surefire(sandbox, REPORT) == {
        "exit": 0,
        "complete": True,
        "tests": {"a.B::c": ["passed", ""]},
    }


@pytest.mark.parametrize(
    "command",
    [
        "true",
        f"{REPORT}; exit 137",
        f"{REPORT}; kill -9 $$",
        f"{REPORT}; echo 'The forked VM terminated without properly saying goodbye.'",
        f"{REPORT}; printf 'Crashed '; sleep 0.2; echo 'tests:'",
        f"{REPORT}; echo '<testsuite>' > m/target/surefire-reports/TEST-d.E.xml",
    ],
)
def test_a_run_with_no_report_a_crash_or_half_a_report_is_not_complete(
    sandbox: Fresh, command: str
) -> None:
    assert surefire(sandbox, command)["complete"] is False


def test_who_stays_behind_writes_no_report(sandbox: Fresh) -> None:
    report = surefire(sandbox, "python3 program.py $$")
    assert (report["complete"], report["tests"]) == (False, {})


def limited(
    sandbox: Fresh, program: str, command: str = "python3 program.py", **limits: Any
) -> Outcome:
    execution = run(command, {"program.py": program})
    return outcome(sandbox, replace(execution, limits=replace(LIMITS, **limits)))


@pytest.mark.parametrize(
    ("program", "factor", "stop"),
    [
        ("import os, time\nfor _ in range(4):\n    if os.fork() == 0:\n        os.setsid()\n        while True: pass\ntime.sleep(60)", 60, Stop.CPU),
        ("import os\nwhile True:\n    try: os.fork()\n    except OSError: pass", 60, Stop.CPU),
        ("import time; time.sleep(60)", 3, Stop.WALL),
        ("while True: print('y' * 2**16)", 60, Stop.OUTPUT),
    ],
    ids=["loops of its children", "processes without end", "a sleeper", "output"],
)  # fmt: skip
def test_who_does_not_end_is_ended(sandbox: Fresh, program: str, factor: float, stop: Stop) -> None:
    found = limited(sandbox, program, cpu_seconds=0.5, wall_factor=factor)
    assert (found.stop, found.signal, found.report) == (stop, 9, None)
    assert outcome(sandbox, run("echo on")).output == "on\n"


@pytest.mark.parametrize(
    "program",
    [
        "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()",
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(60)\nos.wait()",
    ],
)
def test_a_run_that_only_waits_ends_early(sandbox: Fresh, program: str) -> None:
    found = limited(sandbox, program, idle_seconds=2.0)
    assert (found.stop, found.report) == (Stop.IDLE, None)
    assert 1.0 < found.pause_seconds < LIMITS.wall_seconds / 10


def test_a_run_that_works_between_pauses_goes_on(sandbox: Fresh) -> None:
    program = "import time\nfor _ in range(3):\n    sum(range(10**6))\n    time.sleep(1.5)"
    found = limited(sandbox, program, idle_seconds=4.0)
    assert (found.stop, found.exit_code) == (None, 0)
    assert 0.5 < found.pause_seconds < 4.0


def test_a_run_that_works_has_no_pause(sandbox: Fresh) -> None:
    program = "import time\nend = time.time() + 2\nwhile time.time() < end: pass"
    found = limited(sandbox, program, idle_seconds=1.5)
    assert (found.stop, found.pause_seconds < 1.0) == (None, True)


def test_the_end_of_the_output_is_kept(sandbox: Fresh) -> None:
    found = limited(sandbox, "print('x' * 100_000 + 'é\\nthe end')")
    assert found.output.endswith("xé\nthe end\n")
    assert len(found.output.encode()) == 2**16


def test_where_a_long_report_of_failures_begins_is_kept(sandbox: Fresh) -> None:
    """A dialogue quotes the beginning of the report; warnings stand below it."""
    said = "print('== FAILURES ==\\nE  oh')\nfor _ in range(300):\n    print('DeprecationWarning: old')"
    assert failures(limited(sandbox, said).output).startswith("E  oh\n")


def test_memory_is_limited_and_the_report_goes_on(sandbox: Fresh) -> None:
    found = limited(sandbox, "kept = []\nwhile True: kept.append(bytearray(2**24))")
    assert found.oom_kills > 0
    assert told_by(found) == {"exit": 137, "complete": False, "tests": {}}


def test_files_are_limited(sandbox: Fresh) -> None:
    fill = "head -c 3G /dev/zero > $place/large || echo limited; rm $place/large"
    found = limited(sandbox, "", f"for place in . /tmp $HOME; do {fill}; done")
    assert found.output.splitlines().count("limited") == 3


def heard(*said: bytes) -> Sessions:
    sessions = Sessions()
    for data in said:
        sessions.take(data)
    return sessions


def framed(*values: object) -> bytes:
    bodies = [json.dumps(value).encode() for value in values]
    return b"".join(frames.PREFIX.pack(len(body)) + body for body in bodies)


BEGUN = {"finished": False}
TOLD = st.dictionaries(
    st.text(), st.tuples(st.sampled_from(sorted(OUTCOMES)), st.text(max_size=200)).map(list)
)


def finished(tests: object, complete: object = True) -> dict[str, object]:
    return {"finished": True, "complete": complete, "tests": tests}


@given(TOLD, st.data())
def test_a_session_is_heard_in_whatever_pieces_it_comes(
    tests: dict[str, list[str]], data: st.DataObject
) -> None:
    said = framed(BEGUN, finished(tests))
    cut = data.draw(st.integers(0, len(said)))
    sessions = heard(said[:cut], said[cut:])
    assert (sessions.complete, sessions.tests) == (True, tests)
    assert heard(said[:cut]).complete is (cut == len(said))


@given(TOLD, TOLD)
def test_what_is_no_pass_in_one_session_stays_so(
    first: dict[str, list[str]], second: dict[str, list[str]]
) -> None:
    sessions = heard(framed(BEGUN, finished(first), BEGUN, finished(second)))
    for name, (found, _) in sessions.tests.items():
        both = [told[name][0] for told in (first, second) if name in told]
        assert (found == "passed") == (set(both) == {"passed"})


@given(st.lists(st.binary(max_size=50), max_size=4))
def test_what_is_said_otherwise_is_never_complete(said: list[bytes]) -> None:
    assert not heard(*said).complete


STRANGE = {
    "an end without a beginning": [finished({})],
    "two at once": [BEGUN, BEGUN, finished({}), finished({})],
    "no end": [BEGUN, finished({}), BEGUN],
    "an interrupted one": [BEGUN, finished({}, complete=False)],
    "truth of another kind": [BEGUN, finished({}, complete=1)],
    "an outcome that there is not": [BEGUN, finished({"a": ["good", ""]})],
    "a message that is none": [BEGUN, finished({"a": ["passed", None]})],
    "a list of tests": [BEGUN, finished([])],
    "no tests": [BEGUN, {"finished": True, "complete": True}],
    "a short event": [BEGUN, {"event": ["open", "", ""]}, finished({})],
    "an event of numbers": [BEGUN, {"event": ["open", 1, "", "", 0]}, finished({})],
    "an event without a line": [BEGUN, {"event": ["open", "", "", "", "7"]}, finished({})],
}


@pytest.mark.parametrize("values", STRANGE.values(), ids=STRANGE.keys())
def test_sessions_that_are_told_strangely_are_not_complete(values: list[object]) -> None:
    assert not heard(framed(*values)).complete


def test_events_are_kept_once_and_printable() -> None:
    event = {"event": ["open", "a\0\ud800\u0436" + "x" * 300, "f.py:f", "", 7]}
    sessions = heard(framed(BEGUN, event, event, finished({})))
    assert sessions.complete
    assert sessions.events == [["open", "a???" + "x" * 196, "f.py:f", "", 7]]


def test_events_have_a_limit_and_one_says_that_there_are_more() -> None:
    told = [{"event": ["open", str(number), "", "", 0]} for number in range(EVENTS_MOST + 9)]
    found = heard(framed(BEGUN, *told)).events
    assert len(found) == EVENTS_MOST + 1
    assert found[-1] == ["unseen", "events", "", "", 0]


def test_each_session_and_each_worker_is_answered() -> None:
    answered: list[str | None] = []
    sessions = Sessions(answered.append)
    sessions.take(framed(BEGUN, {"asks": True}, {"source": "test_a.py"}, finished({})))
    assert answered == [None, None, "test_a.py"]
    assert (sessions.asked, sessions.begun, sessions.complete) == (1, 2, True)


def test_a_frame_without_end_is_not_kept() -> None:
    sessions = heard(b"\xff" * 100, *[bytes(2**20)] * 4)
    assert not sessions.complete
    assert len(sessions._received) <= 100
