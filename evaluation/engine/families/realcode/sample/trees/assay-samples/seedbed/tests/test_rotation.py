import pytest

from seedbed.rotation import conflicts, family_of, next_crop, years_since


def test_family_of():
    assert family_of("Bean") == family_of("pea") == "legume"
    assert family_of("Lettuce") == "lettuce"


@pytest.mark.parametrize(
    "family, years", [("root", 1), ("legume", 2), ("brassica", 4), ("nightshade", None)]
)
def test_years_since(family, years):
    assert years_since(["cabbage", "bean", "pea", "carrot"], family) == years


def test_a_crop_that_never_grew_here_comes_first():
    assert next_crop(["bean", "carrot"], ["pea", "tomato", "lettuce"], pause=1) == "tomato"


def test_the_family_that_rested_longest():
    history = ["cabbage", "tomato", "bean", "carrot"]
    assert next_crop(history, ["beet", "potato", "radish"]) == "radish"


def test_of_equals_the_first_candidate():
    history = ["bean", "carrot", "cabbage", "beet"]
    assert next_crop(history, ["pea", "bean"], pause=4) == "pea"


def test_none_has_rested_enough():
    assert next_crop(["bean", "carrot"], ["pea", "beet"]) is None
    assert next_crop(["bean"], []) is None


def test_conflicts():
    plan = {
        "north": ["bean", "carrot", "pea", "cabbage"],
        "south": ["tomato", "potato", "tomato"],
        "east": ["beet", "bean", "cabbage", "carrot"],
    }
    assert conflicts(plan) == [("north", 2, 0), ("south", 1, 0), ("south", 2, 1)]
    assert conflicts(plan, pause=1) == []
