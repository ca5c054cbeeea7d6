"""Fees, in cents."""

from datetime import date

SUMMER = range(5, 10)
PER_METRE = 180
LEAST = 1200


def is_summer(day):
    """Whether the summer's prices hold on that day."""
    return day.month in SUMMER


def berth_fee(length, first, nights):
    """The fee of a stay: by metre and night, half as much again in summer, at least LEAST a night."""
    total = 0
    for night in range(nights):
        day = date.fromordinal(first.toordinal() + night)
        price = length * PER_METRE
        if is_summer(day):
            price = price * 3 / 2
        total += max(round(price), LEAST)
    return total


class Account:
    """What a boat owes, and what was paid."""

    def __init__(self):
        self.entries = []

    def charge(self, cents, what):
        """Adds a charge."""
        self.entries.append((cents, what))

    @property
    def balance(self):
        """What is owed."""
        return sum(cents for cents, _what in self.entries)

    def pay(self, cents):
        """Books a payment of at most the balance, and returns the change."""
        booked = min(cents, self.balance)
        self.charge(-booked, "payment")
        return cents - booked
