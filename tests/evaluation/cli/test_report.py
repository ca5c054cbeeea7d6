"""The report's lines, without running anything."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.cli import report, tables
from evaluation.engine.errors import UploadError
from evaluation.engine.records import Evidence, Integrity, Key, Status, Tier, Verdict, evidence_text

_counts = st.none() | st.integers(0, 2**40)
_keys = st.builds(
    Key,
    st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    st.integers(0, 1000),
    st.none() | st.text(st.characters(exclude_categories=["Cs"])),
    _counts,
)
_verdicts = st.builds(
    Verdict,
    key=_keys,
    status=st.sampled_from(Status),
    tier=st.sampled_from(Tier),
    tests_passed=_counts,
    tests_total=_counts,
    duration_ms=_counts,
    control_ms=_counts,
    peak_memory_kib=_counts,
    flags=st.lists(st.text(st.characters(exclude_categories=["Cs"]))).map(tuple),
)


_words = st.text(st.characters(exclude_categories=["Cs"])).map(lambda said: " ".join(said.split()))


@given(
    _verdicts,
    st.sampled_from(Integrity),
    st.lists(st.builds(Evidence, st.just("control"), _words, _words)),
)
def test_a_verdict_is_read_back_as_it_was_written(
    verdict: Verdict, integrity: Integrity, entries: list[Evidence]
) -> None:
    told = entries if integrity is not Integrity.CLEAN else []
    verdict = replace(verdict, integrity=integrity, evidence=evidence_text(*told))
    assert report.verdict(json.loads(json.dumps(report.record(verdict)))) == verdict


def test_a_line_that_is_not_clean_says_how_where_and_why() -> None:
    entry = Evidence("control", "tests/test_a.py::test_a", "It passed a control.")
    suspect = Verdict(Key(1, 0), Status.PASSED, integrity=Integrity.SUSPECT)
    line = report.record(replace(suspect, evidence=evidence_text(entry)))
    assert line["evidence"] == [
        {"kind": entry.kind, "where": entry.where, "sentence": entry.sentence}
    ]
    assert "evidence" not in report.record(Verdict(Key(1, 0), Status.PASSED))
    assert report.record(replace(suspect, evidence="It forges."))["evidence"] == [
        {"kind": "pass", "where": "", "sentence": "It forges."}
    ]


@pytest.mark.parametrize(
    ("integrity", "passed"),
    [("clean", True), ("suspect", False), ("cleared", True), ("confirmed", False)],
)
def test_a_pass_that_is_not_believed_reads_passed_false(integrity: str, passed: bool) -> None:
    verdict = Verdict(Key(1, 0), Status.PASSED, integrity=Integrity(integrity))
    line = report.record(verdict)
    assert (line["status"], line["passed"]) == ("passed", passed)


@settings(deadline=None)  # a shared disk may be slow
@given(kept=st.lists(_verdicts, unique_by=lambda v: v.key, max_size=5), cut=st.integers(1, 40))
def test_a_report_cut_anywhere_keeps_its_whole_lines(
    tmp_path_factory: pytest.TempPathFactory, kept: list[Verdict], cut: int
) -> None:
    path = tmp_path_factory.mktemp("report") / "out.jsonl"
    with report.ReportFile(path, {"family": "x"}) as file:
        file.add(kept)
    path.write_bytes(path.read_bytes()[:-cut])
    whole = path.read_bytes().count(b"\n")
    with report.ReportFile(path, {"family": "x"}) as file:
        assert list(file.verdicts.values()) == kept[:whole]
        file.add(kept[whole:])
    assert [report.verdict(json.loads(line)) for line in path.read_text().splitlines()] == kept


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_a_line_that_is_no_verdict_is_refused_with_its_number(
    tmp_path_factory: pytest.TempPathFactory, noise: bytes
) -> None:
    path = tmp_path_factory.mktemp("report") / "out.jsonl"
    with report.ReportFile(path, {"family": "x"}) as file:
        file.add([Verdict(Key(1, 0), Status.PASSED)])
    with path.open("ab") as file:
        file.write(noise.replace(b"\n", b" ") + b"\n")
    with pytest.raises(UploadError, match="line 2: .*not a verdict"):
        report.ReportFile(path, {"family": "x"})


def test_the_counts_say_how_many_passes_were_decided_within_reach() -> None:
    verdicts = [
        Verdict(Key(1, 0), Status.PASSED, tier=Tier.OUTSIDE),
        Verdict(Key(2, 0), Status.PASSED, tier=Tier.SHARED),
        Verdict(Key(3, 0), Status.FAILED, tier=Tier.SHARED),
    ]
    words = "passed 2, failed 1, 1 of the passed were decided within the program's reach"
    assert tables.counts(verdicts) == f"3 generations: {words}"


def test_a_compile_error_says_what_the_compiler_said() -> None:
    refused = Verdict(Key(1, 0), Status.COMPILE_ERROR, evidence="line 2, column 1: invalid syntax")
    line = report.record(refused)
    assert line["compile_error"] == refused.evidence
    assert report.verdict(line) == refused
    assert "compile_error" not in report.record(replace(refused, evidence=""))
