"""Tests of the figures of scripts/shape.py, for a small tree that can be counted by hand."""

from pathlib import Path

from scripts import shape

PRODUCT = '''\
"""A docstring
of two lines."""

# A comment.
LIMIT = "# no comment"  # noqa: S105


def shown() -> int:
    return _once() + _twice() + _twice()  # why


def _once() -> int:
    """A docstring."""

    return 1


def _twice() -> int:
    return 2
'''


def test_a_tree_is_counted_as_the_formulas_say(tmp_path: Path) -> None:
    for folder in ("evaluation", "leaderboard/migrations", "tests/corpus"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "evaluation/one.py").write_text(PRODUCT)
    (tmp_path / "leaderboard/migrations/first.py").write_text("def _not_counted(): ...\n")
    (tmp_path / "tests/__init__.py").touch()
    (tmp_path / "tests/test_one.py").write_text("x = 1\n" * 3)
    (tmp_path / "tests/corpus/program.py").write_text("def is no Python\n")
    assert shape.measure(tmp_path) == {
        "lines of product": "19",
        "lines of tests": "4 (1 of them programs of corpora)",
        "files of product": "1",
        "lines per file": "median 19, p95 19, longest 19 (evaluation/one.py)",
        "functions": "3",
        "functions per 1,000 lines": "157.9",
        "lines per function": "median 2, p95 4, longest 4 (evaluation/one.py:12 _once)",
        "functions over 50 lines": "0 of 3 (0.0 %)",
        "private functions": "2 of 3 (66.7 %)",
        "private, named once": "1 of 2 (50.0 %)",
        "private, named once, short": "1 of 2 (50.0 %)",
        "private with a docstring": "1 of 2 (50.0 %)",
        # Three docstring lines, two comments, seven lines of code.
        "docstring lines per 100": "42.9",
        "comment lines per 100": "28.6",
    }


def test_the_95th_percentile_is_a_value_that_occurs() -> None:
    values = [(count, "place") for count in range(1, 21)]
    assert shape.spread(values) == "median 10.5, p95 19, longest 20 (place)"
    assert shape.spread([]) == "-"
