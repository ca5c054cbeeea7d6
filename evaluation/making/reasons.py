"""Why a function makes a task or none, derived from the outcomes of its references. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from evaluation.engine.preparation.reference_runs import SOURCES, sound
from evaluation.engine.records import Reference, Status

UNREACHED = "no test reaches it"
MISFIT = "its task does not fit the project's sources"
ORACLE_FAILS = "its own body does not pass"
UNSTABLE = "its own body passes one time and not the next"
UNSOUND = "its tests cannot be relied on"
STUB_PASSES = "a body that does nothing passes"
# A right answer without the docstring would lack them, and no prompt asks for it.
DOCTESTED = "its own docstring holds tests"
STUB_SAYS_NOTHING = "with a body that does nothing no test runs"

DRY_RUN, ORACLE = "dry_run", "oracle"
_NO_STUBS = (DRY_RUN, ORACLE, "control", SOURCES)


class Reason(NamedTuple):
    """Why a function makes no task; "" if it makes one. `detail` is for users."""

    why: str = ""
    detail: str = ""


def by_references(
    references: Mapping[str, Reference], *, path: str, function: str, compiled: bool
) -> Reason:
    """With `compiled`, a stub for which no test ran may just not have compiled: it does not show
    whether a test reaches the function."""
    if SOURCES in references:
        return Reason(MISFIT, references[SOURCES].unsound)
    oracle = references.get(ORACLE)
    if oracle is None or oracle.status is not Status.PASSED:
        return Reason(ORACLE_FAILS, oracle.status.value if oracle else "")
    if not sound(references):
        return Reason(UNSOUND, "; ".join(r.unsound for r in references.values() if r.unsound))
    for test in oracle.passed:
        # pytest names those of a docstring `pkg/a.py::pkg.a.Class.function`.
        file, _, name = test.partition("::")
        if file == path and name.rpartition(".")[2] == function:
            return Reason(DOCTESTED, test)
    stubs = [reference for name, reference in references.items() if is_stub(name)]
    return by_stubs(stubs, compiled=compiled) if stubs else Reason(STUB_PASSES)


def by_stubs(stubs: Iterable[Reference], *, compiled: bool) -> Reason:
    for stub in stubs:
        # A stub that did not run is no evidence that the tests detect it.
        if stub.status in (Status.PASSED, Status.NOT_RUN):
            return Reason(STUB_PASSES, stub.name)
        if compiled and (not stub.tests or stub.status is Status.COMPILE_ERROR):
            return Reason(STUB_SAYS_NOTHING, stub.status.value)
    return Reason()


def is_stub(name: str) -> bool:
    return name not in _NO_STUBS


def by_second_run(first: Reference, second: Reference) -> Reason:
    if (first.status, first.passed) == (second.status, second.passed):
        return Reason()
    differ = sorted(set(first.passed) ^ set(second.passed))
    return Reason(UNSTABLE, ", ".join(differ[:3]) or second.status.value)
