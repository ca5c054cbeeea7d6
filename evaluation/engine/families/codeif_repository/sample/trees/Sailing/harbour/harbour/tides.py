"""Depths and berths."""

FOOT = 0.3048


def metres(feet):
    """A depth in metres, by the centimetre."""
    return round(feet * 0.3048, 2)


class Berth:
    """A place for one boat; `depth` in metres."""

    def __init__(self, depth):
        self.depth = depth

    def __repr__(self):
        return f"Berth({self.depth})"

    def is_afloat(self, draught):
        """Whether a boat of that draught, in feet, has water under its keel."""
        return metres(draught) < self.depth
