import pytest

from seedbed.beds import Bed, packets


@pytest.mark.parametrize(
    "rows, length, distance, expected", [(1, 100, 10, 11), (3, 120, 5, 75), (2, 99, 50, 4)]
)
def test_seeds(rows, length, distance, expected):
    assert Bed(rows, length).seeds(distance) == expected


@pytest.mark.parametrize("distance", [0, -5])
def test_seeds_need_a_distance(distance):
    with pytest.raises(ValueError):
        Bed(1, 100).seeds(distance)


@pytest.mark.parametrize("seeds, expected", [(0, 0), (1, 1), (50, 1), (51, 2), (100, 2)])
def test_packets(seeds, expected):
    assert packets(seeds, 50) == expected
