from datetime import time

from harbour.arrivals import Arrival, in_order, parse_arrival

LINES = ["Gull; 5.5; 14:30", "Tern ; 4; 09:05", "Puffin; 6; 14:30", "Skua; 7.25; 00:10"]


def test_parse_arrival():
    arrival = parse_arrival(" Sea Rose ; 5.5 ; 14:30 ")
    assert (arrival.name, arrival.draught, arrival.at) == ("Sea Rose", 5.5, time(14, 30))


def test_how_an_arrival_is_shown():
    assert repr(Arrival("Gull", 4.0, time(9, 5))) == "Arrival('Gull', 4.0, 09:05)"


def test_in_order():
    assert [arrival.name for arrival in in_order(LINES)] == ["Skua", "Tern", "Gull", "Puffin"]


def test_nobody_arrives():
    assert in_order([]) == []
