"""Controls of Python tests in real containers."""

from contextlib import closing
from dataclasses import replace

import pytest

from evaluation.engine.projects import control, suite
from evaluation.engine.records import Json
from evaluation.engine.sandbox.fresh import Fresh
from tests.evaluation.engine.projects import made
from tests.support import projects

pytestmark = pytest.mark.docker

TESTS = "tests/test_words.py"
# To show where a test failed, pytest reads the test's whole file again for each failure.
TEXT = """
import pytest


@pytest.mark.parametrize("n", range(200))
def test_a_word(n):
    assert f"{n}".isdigit()
""" + "".join(f"\n\ndef word_{n}():\n    return {n} * [{n}]\n" for n in range(3000))


LOOKS = """
import hashlib, os, resource, sys
def look():
    limits = [resource.getrlimit(each) for each in range(16)]
    files = {name: hashlib.sha256(open(name, "rb").read()).hexdigest() for name in
             ("/proc/self/cmdline", "/proc/self/environ", "tests/test_words.py")}
    traces = [name for name in vars(sys) if name.startswith("last_")]
    names = [sorted(vars(sys.modules[name])) for name in ("test_words", "conftest")]
    found = repr((limits, files, traces, names, sys.argv, sorted(os.listdir("."))))
    os.write(1, ("FOUND " + hashlib.sha256(found.encode()).hexdigest() + "\\n").encode())
    return 3
"""
LOOKING = """
from look import look
def test_first():
    assert look() == 3
def test_second():
    assert 4 > look()
"""


def test_a_program_sees_no_difference_between_a_control_and_the_run_before_it() -> None:
    tree = {
        "look.py": LOOKS,
        TESTS: LOOKING,
        "tests/conftest.py": "",
        "setup.cfg": "[tool:pytest]\naddopts = -x\n",
    }
    project = projects.prepared(tree)
    command = "python3 -m pytest -s -p no:cacheprovider tests"
    found = []
    for mode in (False, True):
        run = projects.run(command, control=mode)
        with closing(Fresh(project, run.limits)) as sandbox:
            outcome = projects.outcome(sandbox, run)
        found.append([word for word in outcome.output.split() if len(word) == 64])
        ends = {end for end, _ in outcome.report["tests"].values()}  # type: ignore[index,union-attr,misc]
        assert ends == ({"failed"} if mode else {"passed"})
    assert len(found[0]) == 2
    assert found[0] == found[1]


@pytest.mark.parametrize("options", ["-n 2", "--import-mode=importlib", "--assert=plain"])
def test_a_control_is_one_in_workers_and_in_all_modes_of_import(options: str) -> None:
    project = projects.prepared({TESTS: LOOKING.replace("look()", "3").replace("from look", "# ")})
    run = projects.run(f"python3 -m pytest {options} tests", control=True)
    ids = [f"{TESTS}::test_first", f"{TESTS}::test_second"]
    with closing(Fresh(project, run.limits)) as sandbox:
        facts = control.facts(projects.outcome(sandbox, run), ids)
    assert (facts["stopped"], facts["complete"]) == (ids, True)
    assert facts["asked"] == (2 if options == "-n 2" else 0)


def test_a_control_does_not_explain_its_failures() -> None:
    project = projects.prepared({TESTS: TEXT})
    ids = [f"{TESTS}::test_a_word[{n}]" for n in range(200)]
    command = "python3 -m pytest tests"
    first = made.suite().run(made.TASK, project, {}, command, ids, projects.LIMITS)
    run = suite.control_of(first)
    with closing(Fresh(project, run.limits)) as sandbox:
        passing, failing = (projects.outcome(sandbox, each) for each in (first, run))
    facts = control.facts(failing, ids)
    assert (facts["stopped"], facts["complete"]) == (sorted(ids), True)
    # Explaining them takes 25 times as long as running them; the control itself takes two to three.
    assert failing.cpu_seconds < 8 * passing.cpu_seconds


ASKS = """
import glob, hashlib, os, socket, struct
found = [open(path, "rb").read() for path in sorted(glob.glob("**", recursive=True)) if os.path.isfile(path)]
found += [open("/proc/self/environ", "rb").read(), open("/proc/self/cmdline", "rb").read()]
print("FOUND", hashlib.sha256(b"".join(found)).hexdigest())
said = socket.create_connection(("127.0.0.1", 61977))
name = "a.BTest::c"
said.sendall(struct.pack(">cii", b"b", 1, len(name)) + name.encode("utf-16-be"))
said.sendall(struct.pack(">cii", b"a", 1, 0))
print("VALUE", said.recv(100)[5:].decode("utf-16-be"))
said.sendall(struct.pack(">cii", b"r", 1, 0))
said.recv(100)
said.sendall(struct.pack(">cii", b"e", 1, 1))
end = said.recv(100)[5:].decode("utf-16-be")
os.makedirs("target/surefire-reports")
with open("target/surefire-reports/TEST-a.xml", "w") as file:
    file.write("<testsuite><testcase classname='a.BTest' name='c'>")
    file.write(f"<failure message='{end}'/></testcase></testsuite>")
"""  # noqa: E501  reads best in a line each


def test_a_java_test_gets_its_values_from_the_runner_and_nothing_else_differs() -> None:
    project = projects.prepared({"asks.py": ASKS, "src/BTest.java": "asking"})
    watch: dict[str, Json] = {"control": False, "tests": {"a.BTest::c": [["right", "wrong"]]}}
    first = projects.run("python3 asks.py", report="surefire")
    first = replace(first, payload={**first.payload, "watch": watch})
    outcomes = []
    for run in (first, suite.control_of(first)):
        with closing(Fresh(project, run.limits)) as sandbox:
            outcomes.append(projects.outcome(sandbox, run))
    said = [outcome.output.split() for outcome in outcomes]
    assert [words[-1] for words in said] == ["right", "wrong"]
    assert said[0][:-1] == said[1][:-1]
    facts = [control.facts(outcome, ["a.BTest::c"]) for outcome in outcomes]
    assert [each["ended"] for each in facts] == [
        {"a.BTest::c": [{"value 0": 1, "refused": 1}, 1, 1, 0]}
    ] * 2
    assert [each["stopped"] for each in facts] == [[], ["a.BTest::c"]]
    assert facts[1]["complete"] is True
