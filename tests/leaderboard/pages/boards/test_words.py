import pytest
from django.utils.translation import override

from leaderboard.accounts.models import Entrant
from leaderboard.pages.boards.words import (
    entrant_line,
    filled,
    samples_each,
    untranslated,
)
from tests.leaderboard.boards.invented import result, score


def test_what_is_filled_in_is_escaped_and_braces_stay() -> None:
    assert filled("{a} %(x)s %%", x="<b>{y}") == "{a} &lt;b&gt;{y} %"


@pytest.mark.parametrize(
    ("entrant", "line"),
    [
        (Entrant(organisation="Fenland", weights="open", parameters=70), "Fenland · open · 70B"),
        (Entrant(organisation="", weights="", parameters=1.5), "1.5B"),
        (Entrant(organisation="Tessera", weights="closed"), "Tessera · closed · –"),
    ],
)
def test_an_entrants_line_leaves_out_what_is_unknown(entrant: Entrant, line: str) -> None:
    assert entrant_line(entrant) == line


def test_the_number_of_generations_is_told_only_where_all_have_the_same() -> None:
    same = [result("A", 1, score(0.5), count=1640), result("B", 2, score(0.4), count=1640)]
    other = [*same, result("C", 3, score(0.3), count=164)]
    assert samples_each(same, "pass@1") == 10
    assert samples_each(other, "pass@1") is None


@pytest.mark.parametrize(
    ("kind", "name", "expected"),
    [
        ("category", "Code Standard", False),
        ("category", "Strings", True),
        ("category", "строки", False),
        ("level", "Easy", False),
        ("level", "insane", True),
        ("level", "L-1", False),
        ("skill", "code quality", False),
        ("skill", "debugging", True),
        ("domain", "alice/one", False),
    ],
)
def test_a_name_without_a_translation_is_english_for_others(
    kind: str, name: str, expected: bool
) -> None:
    assert not untranslated([(kind, name)])
    for language in ("ru", "zh-hans"):
        with override(language):
            assert untranslated([(kind, name)]) == expected
