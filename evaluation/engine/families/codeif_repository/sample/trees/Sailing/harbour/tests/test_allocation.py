from harbour.allocation import assign, deepest_first
from harbour.tides import Berth

BERTHS = {"A": Berth(1.5), "B": Berth(2.5), "C": Berth(2.0), "D": Berth(2.5)}


def test_deepest_first():
    assert deepest_first(BERTHS) == ["B", "D", "C", "A"]


def test_assign():
    lines = ["Gull; 6; 14:30", "Tern; 4; 09:05", "Skua; 6; 10:00"]
    assert assign(BERTHS, lines) == {"Tern": "A", "Skua": "C", "Gull": "D"}


def test_a_boat_that_fits_nowhere():
    assert assign(BERTHS, ["Fulmar; 9; 08:00", "Tern; 4; 09:05"]) == {"Fulmar": None, "Tern": "A"}


def test_more_boats_than_berths():
    lines = ["Gull; 6; 11:00", "Tern; 6; 12:00"]
    assert assign({"C": Berth(2.0)}, lines) == {"Gull": "C", "Tern": None}
