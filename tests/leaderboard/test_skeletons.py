"""Tests of what looks alike. Names of one script, or of two, are no matter in themselves."""

import pytest

from leaderboard.skeletons import skeleton


@pytest.mark.parametrize(("one", "other"), [
    ("Birch 32B", "birch 32b"),
    ("Birch 32B", "В\u0456rch 32B"),  # Cyrillic
    ("Birch 32B", "Birch\ufe0f 32B"),
    ("Birch 32B", "Birch\u2800\u180b\U0001d159\U00016fe4 32B"),
    ("AI One", "Al One"),
    ("AI One", "ai one"),
    ("Model 10", "Model lO"),
    ("Rowan Large", "Rowan\u00a0Large"),
    ("Corn", "Com"),
])  # fmt: skip
def test_names_that_look_alike_have_one_skeleton(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize(("one", "other"), [
    ("Birch 32B", "Birch 7B"), ("Сова 7B", "Sova 7B"), ("通义 Coder", "通义 Chat"), ("e", "é"),
])  # fmt: skip
def test_other_names_have_others(one: str, other: str) -> None:
    assert skeleton(one) != skeleton(other)
