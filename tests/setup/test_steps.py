"""Tests of the steps of `make test`: side by side, each timed, none stopped by another's
failure."""

import re
from pathlib import Path

import pytest

from scripts.steps import run_steps


def waiting_for(other: Path, own: Path) -> list[str]:
    """A command that says two words and succeeds only while the other one runs."""
    script = f"echo {own.name}; touch {own}; for i in $(seq 100); do"
    return ["sh", "-c", f"{script} [ -e {other} ] && echo again && exit; sleep 0.1; done; exit 1"]


def test_lanes_run_side_by_side_and_print_each_step_whole(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    assert run_steps([{"first": waiting_for(a, b)}, {"second": waiting_for(b, a)}]) == 0
    said = capfdbinary.readouterr().out
    assert b"== first printed:\nb\nagain\n== first succeeded after" in said
    assert b"== second printed:\na\nagain\n== second succeeded after" in said


def test_a_failure_stops_nothing_and_is_named_in_the_end(capfd: pytest.CaptureFixture[str]) -> None:
    fails, works = ["sh", "-c", "echo why >&2; exit 3"], ["true"]
    assert run_steps([{"one": fails, "two": works}, {"three": works}], [{"four": works}]) == 1
    said = capfd.readouterr().out
    assert "why" in said
    table = [line.partition(" after")[0] for line in said.splitlines()[-5:]]
    assert sorted(table[:4]) == [
        "== four succeeded", "== one failed (exit 3)", "== three succeeded", "== two succeeded",
    ]  # fmt: skip
    assert re.fullmatch(r"== failed: one; after \d+\.\d minutes", said.splitlines()[-1])


def test_steps_meanwhile_go_on_through_all_stages(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    a, b, c = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    c.touch()
    long = ["sh", "-c", f"touch {a}; while [ ! -e {b} ]; do sleep 0.1; done"]
    first, second = ["sh", "-c", f"while [ ! -e {a} ]; do sleep 0.1; done"], waiting_for(c, b)
    status = run_steps([{"1": first}], [{"2": second}], meanwhile={"long": long, "last": ["false"]})
    assert status == 1
    said = capfd.readouterr().out
    assert said.index("== 1 succeeded") < said.index("== 2 begins") < said.index("== long printed:")
    assert "== failed: last; after" in said
