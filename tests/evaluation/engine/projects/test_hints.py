import pytest

from evaluation.engine.projects import hints
from evaluation.engine.projects.hints import Hint
from tests.support.linear import at_most


def test_hints_name_the_first_line_of_each_word_of_the_list() -> None:
    text = "x = 1\nframe = sys._getframe()\nf._getframe().f_back\nrun_exec = 2\n"
    assert hints.hints(text) == (Hint(2, "_getframe"), Hint(3, "f_back"))
    assert hints.hints("t.getStackTrace(); // exec\n") == (
        Hint(1, "exec"),
        Hint(1, "getStackTrace"),
    )


def test_an_honest_text_has_no_hints() -> None:
    assert hints.hints("def total(rows):\n    return sum(row.price for row in rows)\n") == ()


@pytest.mark.parametrize("piece", ["void m(){}", "_", "exec ", "f_back.\n", "\\u0065xec", "é "])
def test_a_text_of_200_kilobytes_takes_little_time_and_gives_few_hints(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    with at_most(1):
        assert len(hints.hints(text)) <= 20
    assert hints.limited_hints(text) == hints.hints(text)


def test_a_search_that_exceeds_its_limit_is_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "_PATIENCE_SECONDS", 0.0)
    assert hints.limited_hints("exec") == (Hint(1, "could not be searched"),)
