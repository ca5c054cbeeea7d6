"""The attribution of a run's end to the candidate or to the machinery."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.records import Limits, Outcome, Status, Stop
from evaluation.engine.sandbox import attribution

LIMITS = Limits(cpu_seconds=10.0)


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        (Outcome(exit_code=0), None),
        (Outcome(signal=9, oom_kills=1), None),
        (Outcome(signal=9, stop=Stop.WALL), Status.TIMEOUT),
        (Outcome(signal=9, stop=Stop.OUTPUT), Status.OUTPUT_EXCEEDED),
        (Outcome(signal=9, stop=Stop.CPU, oom_kills=3), Status.TIMEOUT),
        (Outcome(died="oom"), Status.MEMORY_EXCEEDED),
        (Outcome(died="exit 137"), Status.MEMORY_EXCEEDED),
        (Outcome(died="silent"), Status.RUNTIME_ERROR),
    ],
)
def test_the_end_decides_what_it_can(outcome: Outcome, status: Status | None) -> None:
    assert attribution.status_of_end(outcome) is status


def test_memory_ran_out_where_the_kernel_killed() -> None:
    assert attribution.out_of_memory(Outcome(oom_kills=1))
    assert not attribution.out_of_memory(Outcome())


@pytest.mark.parametrize(
    ("outcome", "near"),
    [
        (Outcome(exit_code=0, cpu_seconds=8.9), False),
        (Outcome(exit_code=0, cpu_seconds=9.0), True),
        (Outcome(signal=9, stop=Stop.CPU, cpu_seconds=10.5), False),
        (Outcome(signal=9, stop=Stop.WALL, cpu_seconds=4.9), False),
        (Outcome(signal=9, stop=Stop.WALL, cpu_seconds=5.0), True),
        (Outcome(signal=9, stop=Stop.WALL, delay_seconds=29.9), False),
        (Outcome(signal=9, stop=Stop.WALL, delay_seconds=30.0), True),
        (Outcome(died="oom", cpu_seconds=10.0), False),
    ],
)
def test_what_another_load_could_have_changed_is_near(outcome: Outcome, near: bool) -> None:
    assert attribution.near_limit(outcome, LIMITS) is near


@given(
    st.builds(
        Outcome,
        stop=st.none() | st.sampled_from(Stop),
        died=st.none() | st.text(),
        cpu_seconds=st.floats(0, 1000),
        oom_kills=st.integers(0, 5),
    )
)
def test_no_end_is_a_pass_or_the_machinery(outcome: Outcome) -> None:
    status = attribution.status_of_end(outcome)
    assert status not in (Status.PASSED, Status.NOT_RUN)
    assert (status is None) == (outcome.stop is None and outcome.died is None)
    assert not (outcome.died is not None and attribution.near_limit(outcome, LIMITS))
