"""Which boat gets which berth."""

from harbour.arrivals import in_order


def deepest_first(berths):
    """The names of the berths, the deepest first; of equals by name."""
    return sorted(berths, key=lambda name: (-berths[name].depth, name))


def assign(berths, lines):
    """The berth of each boat by its name, in order of arrival. A boat gets the shallowest free
    berth in which it is afloat, or None."""
    free = deepest_first(berths)
    found = {}
    for arrival in in_order(lines):
        fitting = [name for name in free if berths[name].is_afloat(arrival.draught)]
        found[arrival.name] = fitting[-1] if fitting else None
        if fitting:
            free.remove(fitting[-1])
    return found
