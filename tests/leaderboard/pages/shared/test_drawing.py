import pytest
from django.utils import translation

from leaderboard.pages.shared.drawing import PLAIN, interval_axis, tick_step


def row(value: float | None, half: float = 0.05, **more: object) -> dict[str, object]:
    if value is None:
        return {"value": None, "low": None, "high": None, **more}
    return {"value": value, "low": value - half, "high": value + half, **more}


@pytest.mark.parametrize(
    ("span", "step"), [(0.62, 0.1), (0.72, 0.2), (0.9, 0.2), (0.1, 0.02), (3.0, 0.5), (1.0, 0.2)]
)
def test_an_axis_has_no_more_than_seven_ticks(span: float, step: float) -> None:
    assert tick_step(span) == pytest.approx(step)
    assert span / tick_step(span) < 7


def test_the_axis_holds_all_rows_and_starts_at_a_tick() -> None:
    axis = interval_axis([row(0.784, 0.052), row(0.275, 0.056)])
    assert [tick.label for tick in axis.ticks] == ["20", "30", "40", "50", "60", "70", "80"]
    assert axis.ticks[0].x == "0.00%"
    assert axis.x(0.836) == "100.00%"


def test_the_leaders_interval_is_the_tinted_column() -> None:
    axis = interval_axis([row(0.9, 0.1), row(0.3, 0.1)])
    assert axis.leader == ("75.00%", "25.00%")


def test_a_reference_row_does_not_lead() -> None:
    rows = [row(0.9, 0.05, reference=True), row(0.5, 0.1), row(0.2, 0.1)]
    axis = interval_axis(rows)
    assert axis.leader == (axis.x(0.4), "21.05%")


def test_without_numbers_or_intervals_there_is_an_axis_too() -> None:
    axis = interval_axis([row(None)])
    assert (axis.low, axis.high, axis.leader) == (0.0, 1.0, None)
    axis = interval_axis([{"value": 0.5, "low": None, "high": None}])
    assert axis.low < 0.5 < axis.high


def test_plain_metrics_have_plain_ticks_in_the_readers_language() -> None:
    with translation.override("ru"):
        axis = interval_axis([row(3.5, 0.5), row(2.5, 0.5)], PLAIN)
    assert [tick.label for tick in axis.ticks] == ["2,0", "2,5", "3,0", "3,5", "4,0"]
