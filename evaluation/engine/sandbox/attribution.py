"""Whose fault an end is, from the facts alone. Pure; knows no container and no family."""

from __future__ import annotations

from evaluation.engine.records import Limits, Outcome, Status, Stop

# A run that used between these shares of its processor time is decided by a repeat
# alone on the host; what reaches the upper one is stopped and needs no repeat.
NEAR = 0.9
GRACE = 1.05
# A run stopped by the wall with at least this share of its processor time may have
# been starved by others; one that slept has used nothing.
STARVED = 0.5

# Ends of a container that the machinery brings about, never a program in it.
INFRASTRUCTURE_ENDS = frozenset({"docker"})
_MEMORY_ENDS = frozenset({"oom", "exit 137"})


def status_of_end(outcome: Outcome) -> Status | None:
    """The status that the way it ended alone decides; None where the report has to.

    A process killed by the memory limit decides only where the run was not right
    all the same, so it is not among these: see `out_of_memory`.
    """
    if outcome.died is not None:
        return Status.MEMORY_EXCEEDED if outcome.died in _MEMORY_ENDS else Status.RUNTIME_ERROR
    if outcome.stop is Stop.OUTPUT:
        return Status.OUTPUT_EXCEEDED
    if outcome.stop is not None:
        return Status.TIMEOUT
    return None


def out_of_memory(outcome: Outcome) -> bool:
    """Whether the memory limit killed a process of the run."""
    return outcome.oom_kills > 0


def near_limit(outcome: Outcome, limits: Limits) -> bool:
    """Whether the outcome could have been another under another load."""
    if outcome.died is not None or outcome.stop is Stop.OUTPUT:
        return False
    share = outcome.cpu_seconds / limits.cpu_seconds
    if outcome.stop is Stop.WALL:
        return share >= STARVED
    return outcome.stop is not Stop.CPU and share >= NEAR
