import pytest

from harbour.tides import Berth, metres


def test_metres():
    assert metres(10) == 3.05


class TestBerth:
    def test_is_afloat(self):
        assert Berth(2.0).is_afloat(6)

    def test_is_aground(self):
        assert not Berth(1.5).is_afloat(6)
