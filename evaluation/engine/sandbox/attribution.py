"""Derives from an outcome's facts who caused the end. Pure; knows no container and no family."""

from evaluation.engine.records import Limits, Outcome, Status, Stop
from evaluation.engine.texts import gettext_noop as _

# The flag of a program that ended before its tests did.
ENDED_EARLY = "ended_early"
# Words for the flags that any family's verdicts may have.
FLAGS = {
    ENDED_EARLY: _("the program ended before its tests did"),
    "near_limit": _("ended near a limit and was run again exclusively"),
}
# A run that used between these shares of its processor time is repeated with no other run
# on the host; a run that reaches the upper share is stopped and needs no repeat.
NEAR = 0.9
GRACE = 1.05
# A run that the wall limit stopped after at least this share of its processor time may have
# been starved by other runs; a run that slept has used almost none. So has one that waited for a
# processor for as long as its whole wall limit.
STARVED = 0.5

# Ends of a container that only the infrastructure causes, never a program in it.
INFRASTRUCTURE_ENDS = frozenset({"docker"})
_MEMORY_ENDS = frozenset({"oom", "exit 137"})


def status_of_end(outcome: Outcome) -> Status | None:
    """Returns None if the report decides. A process that the memory limit killed does not decide:
    the run may still be right."""
    if outcome.died is not None:
        return Status.MEMORY_EXCEEDED if outcome.died in _MEMORY_ENDS else Status.RUNTIME_ERROR
    if outcome.stop is Stop.OUTPUT:
        return Status.OUTPUT_EXCEEDED
    if outcome.stop is not None:
        return Status.TIMEOUT
    return None


def out_of_memory(outcome: Outcome) -> bool:
    return outcome.oom_kills > 0


def near_limit(outcome: Outcome, limits: Limits) -> bool:
    """Whether the outcome could differ under another load."""
    if outcome.died is not None or outcome.stop is Stop.OUTPUT:
        return False
    share = outcome.cpu_seconds / limits.cpu_seconds
    if outcome.stop is Stop.WALL:
        return share >= STARVED or outcome.delay_seconds >= limits.wall_seconds
    return outcome.stop is not Stop.CPU and share >= NEAR
