"""Tests of reading Surefire's reports: the rule for a pass, and hostile reports."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evaluation.engine.sandbox.inside import surefire

# A test: class, method, and its children with their messages.
Test: TypeAlias = tuple[str, str, Sequence[tuple[str, str]]]
# Characters that XML can hold.
TEXT = st.text(st.characters(min_codepoint=32, exclude_categories=["Cs"]), max_size=300).filter(
    lambda text: not {"\ufffe", "\uffff"} & set(text)
)
CHILDREN = ("system-out", "properties", *surefire._CHILDREN)
TESTS = st.lists(
    st.tuples(
        st.from_regex(r"([a-z]{1,5}\.){0,2}[A-Z][a-z]{0,5}", fullmatch=True),
        TEXT,
        st.lists(st.tuples(st.sampled_from(CHILDREN), TEXT), max_size=3),
    ),
    max_size=5,
)


def report(tests: Sequence[Test]) -> str:
    cases = "".join(
        f"<testcase classname={quoteattr(kind)} name={quoteattr(name)}>"
        + "".join(f"<{child}>{escape(said)}</{child}>" for child, said in children)
        + "</testcase>"
        for kind, name, children in tests
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="x">{cases}</testsuite>'


def read(texts: Mapping[str, str | bytes]) -> surefire.Results:
    with TemporaryDirectory() as root:
        for path, text in texts.items():
            place = Path(root, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.encode() if isinstance(text, str) else text)
        return surefire.read(root)


def one(text: str | bytes) -> surefire.Results:
    return read({"target/surefire-reports/TEST-a.B.xml": text})


@given(TESTS)
@example([("a.B", "c", [("failure", "\n one\ntwo")])])
def test_a_test_passed_where_nothing_speaks_against_it(tests: list[Test]) -> None:
    found = one(report(tests))
    assert (found.reports, found.sound) == (1, True)
    assert set(found.tests) == {f"{kind}::{name}" for kind, name, _ in tests}
    for name, (outcome, message) in found.tests.items():
        against = {
            child
            for kind, method, children in tests
            if f"{kind}::{method}" == name
            for child, _ in children
        } & set(surefire._CHILDREN)
        assert (outcome == "passed") == (not against)
        assert len(message) <= surefire.MESSAGE and "\n" not in message


@pytest.mark.parametrize(
    ("children", "expected"),
    [
        ("", ["passed", ""]),
        ('<failure message="control: stopped" type="T">T: x\n at</failure>', None),
        ("<failure>\ncontrol: stopped\n at a.B</failure>", None),
        ("<failure><![CDATA[control: stopped\n at]]></failure><system-out/>", None),
        ('<error message="gone"/>', ["error", "gone"]),
        ('<flakyFailure message="x"><stackTrace>y</stackTrace></flakyFailure>', ["failed", "x"]),
        ("<system-err>warned</system-err>", ["failed", "warned"]),
    ],
)
def test_what_stands_in_a_test_decides(children: str, expected: list[str] | None) -> None:
    text = f'<testsuite><testcase classname="a.B" name="c">{children}</testcase></testsuite>'
    assert one(text).tests == {"a.B::c": expected or ["failed", "control: stopped"]}


def test_of_several_results_for_a_test_the_worst_counts() -> None:
    good, bad = ("a.B", "c", ()), ("a.B", "c", [("failure", "no")])
    for tests in ([good, bad], [bad, good]):
        assert one(report(tests)).tests == {"a.B::c": ["failed", "no"]}


def test_reports_of_all_modules_are_read_and_nothing_else() -> None:
    text = report([("a.B", "c", ())])
    found = read(
        {
            "target/surefire-reports/TEST-a.B.xml": text,
            "module/target/surefire-reports/TEST-d.E.xml": report([("d.E", "f", ())]),
            "target/surefire-reports/testng-results.xml": "<no",
            "target/surefire-reports/TEST-a.B.txt": "no",
            "target/other/TEST-x.Y.xml": "no",
        }
    )
    assert found == surefire.Results({"a.B::c": ["passed", ""], "d.E::f": ["passed", ""]}, 2, True)


@given(st.binary(max_size=300) | st.text(st.characters(codec="utf-8")).map(str.encode))
def test_any_bytes_are_read_without_an_error(data: bytes) -> None:
    assert one(data).tests == {}


@given(TESTS.filter(bool), st.data())
def test_a_report_that_is_cut_off_is_unsound(tests: list[Test], data: st.DataObject) -> None:
    text = report(tests).encode()
    assert not one(text[: data.draw(st.integers(0, len(text) - 1))]).sound


BOMB = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(9))
HOSTILE = {
    "entities": f'<!DOCTYPE testsuite [<!ENTITY e0 "x">{BOMB}]><testsuite>&e9;</testsuite>',
    "a file from outside": '<!DOCTYPE testsuite [<!ENTITY f SYSTEM "/etc/passwd">]>'
    '<testsuite><testcase classname="a" name="b"><failure>&f;</failure></testcase></testsuite>',
    "another root": '<html><testcase classname="a" name="b"/></html>',
    "a test in a test": '<testsuite><testcase classname="a" name="b"><failure/>'
    '<testcase classname="a" name="b"/></testcase></testsuite>',
    "depth": "<testsuite>" + "<a>" * 100_000,
    "an encoding that there is not": '<?xml version="1.0" encoding="x-none"?><testsuite/>',
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_surefire_does_not_write_is_unsound(text: str) -> None:
    found = one(text)
    assert (found.sound, found.tests) == (False, {})


def test_a_large_report_is_unsound_and_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    text = report([("a.B", "c", ())])
    monkeypatch.setattr(surefire, "REPORT_BYTES", len(text) - 1)
    assert one(text) == surefire.Results({}, 1, False)


def test_links_and_pipes_are_no_reports(tmp_path: Path) -> None:
    place = tmp_path / "surefire-reports"
    place.mkdir()
    (tmp_path / "real.xml").write_text(report([("a.B", "c", ())]))
    (place / "TEST-a.xml").symlink_to(tmp_path / "real.xml")
    assert surefire.read(str(tmp_path)) == surefire.Results({}, 1, False)
    (place / "TEST-a.xml").unlink()
    os.mkfifo(place / "TEST-a.xml")
    assert surefire.read(str(tmp_path)) == surefire.Results({}, 1, False)


def test_folders_behind_links_are_not_entered(tmp_path: Path) -> None:
    outside = tmp_path / "outside/surefire-reports"
    outside.mkdir(parents=True)
    (outside / "TEST-a.xml").write_text(report([("a.B", "c", ())]))
    (tmp_path / "root").mkdir()
    (tmp_path / "root/surefire-reports").symlink_to(outside)
    assert surefire.read(str(tmp_path / "root")) == surefire.Results({}, 0, True)
