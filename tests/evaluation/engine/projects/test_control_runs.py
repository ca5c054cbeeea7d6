"""Controls of Python tests in real containers."""

from __future__ import annotations

from contextlib import closing

import pytest

from evaluation.engine.projects import control
from evaluation.engine.sandbox.fresh import Fresh
from tests.evaluation.engine.projects import made
from tests.support import projects

pytestmark = pytest.mark.docker

TESTS = "tests/test_words.py"
# To show where a test failed pytest reads its whole file again, for each.
TEXT = """
import pytest


@pytest.mark.parametrize("n", range(200))
def test_a_word(n):
    assert f"{n}".isdigit()
""" + "".join(f"\n\ndef word_{n}():\n    return {n} * [{n}]\n" for n in range(3000))


def test_a_control_does_not_explain_its_failures() -> None:
    project = projects.prepared({TESTS: TEXT})
    suite = made.suite()
    ids = [f"{TESTS}::test_a_word[{n}]" for n in range(200)]
    command = "python3 -m pytest tests"
    run = control.run(suite, made.TASK, project, {}, command, ids, projects.LIMITS)
    with closing(Fresh(project, run.limits)) as sandbox:
        outcome = projects.outcome(sandbox, run)
    facts = control.facts(outcome, ids)
    assert (facts["stopped"], facts["complete"]) == (sorted(ids), True)
    assert outcome.cpu_seconds < 5
