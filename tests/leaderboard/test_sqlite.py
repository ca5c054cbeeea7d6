"""Tests of comparisons of texts on SQLite."""

import sqlite3

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.sqlite import like

TEXTS = st.text("aB%_\\.\n*", max_size=6)


@given(TEXTS, TEXTS)
def test_ascii_is_compared_as_by_sqlite_itself(pattern: str, text: str) -> None:
    with sqlite3.connect(":memory:") as database:
        words = "SELECT ? LIKE ? ESCAPE ?"
        (theirs,) = database.execute(words, (text, pattern, "\\")).fetchone()
    # What follows an escape at the very end is undefined in SQL.
    ends_in_escape = (len(pattern) - len(pattern.rstrip("\\"))) % 2
    assert ends_in_escape or like(pattern, text, "\\") == bool(theirs)


def test_letters_of_every_script_are_alike_in_any_case_and_no_others() -> None:
    assert like("%БЕРЁЗ_", "Новая берёза", "\\")
    assert not any(like(one, other, "\\") for one, other in ("iı", "sſ", "iİ"))
    assert like(None, "a", "\\") is None
    assert like("a", None, "\\") is None
