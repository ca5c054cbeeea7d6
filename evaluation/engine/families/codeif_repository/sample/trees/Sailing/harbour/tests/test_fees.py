from datetime import date

from harbour.fees import LEAST, Account, berth_fee, is_summer


def test_is_summer():
    assert is_summer(date(2026, 5, 1))
    assert not is_summer(date(2026, 10, 1))


def test_a_night_in_winter():
    assert berth_fee(10, date(2026, 1, 5), 1) == 1800


def test_the_least_fee():
    assert berth_fee(4, date(2026, 1, 5), 2) == 2 * LEAST


def test_a_stay_into_the_summer():
    assert berth_fee(10, date(2026, 4, 30), 3) == 1800 + 2 * 2700


def test_no_night():
    assert berth_fee(10, date(2026, 4, 30), 0) == 0


class TestAccount:
    def test_balance(self):
        account = Account()
        account.charge(1800, "a night")
        account.charge(250, "water")
        assert account.balance == 2050

    def test_pay(self):
        account = Account()
        account.charge(1800, "a night")
        assert account.pay(1000) == 0
        assert account.balance == 800

    def test_change(self):
        account = Account()
        account.charge(1800, "a night")
        assert account.pay(2000) == 200
        assert account.balance == 0
