"""The list of arrivals: a line for each boat."""

from datetime import time


class Arrival:
    """A boat that is expected: name, draught in feet, time of the day."""

    def __init__(self, name, draught, at):
        self.name = name
        self.draught = draught
        self.at = at

    def __repr__(self):
        return f"Arrival({self.name!r}, {self.draught}, {self.at:%H:%M})"


def parse_arrival(line):
    """Read `name; draught in feet; HH:MM`."""
    name, draught, at = line.split(";")
    return Arrival(name.strip(), float(draught), time.fromisoformat(at.strip()))


def in_order(lines):
    """The arrivals of these lines by time; boats of the same time as listed."""
    return sorted(map(parse_arrival, lines), key=lambda arrival: arrival.at)
