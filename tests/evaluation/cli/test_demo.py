"""Tests that `demo` judges the samples with the arguments that `run` would have."""

from __future__ import annotations

from pathlib import Path

from evaluation.cli.arguments import parser
from evaluation.cli.commands import _samples


def test_run_is_told_all_that_its_own_words_tell_it(tmp_path: Path) -> None:
    files = ["--tasks=t", "--predictions=p", "--report=r"]
    words = vars(parser().parse_args(["run", "rucodeeval", *files]))
    demo = vars(parser().parse_args(["demo"]))
    samples = list(_samples(tmp_path))
    assert samples
    for sample in samples:
        assert {*sample, *demo, "report"} - {"model"} == set(words)
        assert sample["predictions"].is_file()
