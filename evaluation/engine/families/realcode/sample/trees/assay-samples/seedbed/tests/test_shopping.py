import pytest

from seedbed.plan import parse_plan
from seedbed.shopping import needed, price, shopping_list

PLAN = parse_plan("carrot: 3 x 120 @ 5\nbean: 1 x 100 @ 10\nCarrot: 1 x 50 @ 5")


def test_needed():
    assert needed(PLAN) == {"carrot": 86, "bean": 11}


def test_shopping_list():
    in_packet = {"carrot": 40, "bean": 13}
    assert shopping_list(PLAN, {}, in_packet) == {"carrot": 3, "bean": 1}
    assert shopping_list(PLAN, {"carrot": 15, "bean": 12}, in_packet) == {"carrot": 2, "bean": 1}


def test_a_crop_in_stock_is_not_listed():
    assert shopping_list(PLAN, {"carrot": 95, "bean": 20}, {"carrot": 40}) == {}


def test_a_crop_without_a_packet_size():
    with pytest.raises(KeyError):
        shopping_list(PLAN, {}, {"bean": 10})


@pytest.mark.parametrize("count, cents", [(1, 199), (3, 597), (4, 746), (6, 1044), (0, 0)])
def test_price(count, cents):
    assert price({"bean": count}, {"bean": 199}) == cents


def test_price_of_several_crops():
    assert price({"bean": 4, "beet": 1}, {"bean": 100, "beet": 50}) == 425
