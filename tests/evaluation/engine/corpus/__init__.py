"""Hostile generations, and odd ones that are right: what the sandbox must tell apart.

`hostile/<kind>/` holds cheats and attacks whose answer is wrong unless the trick
works. Many answer rightly only where the forbidden thing succeeded, so that a hole
shows as a pass. One of each kind that no structure stops passes, with its tier.
`odd_but_right/` must pass; `hostile_but_correct/` attacks and answers well, so that
any verdict is fair. None of the hostile files may be executed outside a sandbox, and
the corpus only after the conformance list has passed.
"""

from collections.abc import Iterator
from pathlib import Path

from .case import Case, read_case
from .generated import generated_cases
from .tasks import TASKS, good_text

__all__ = ["TASKS", "Case", "all_cases", "good_text"]

_HERE = Path(__file__).parent


def all_cases() -> tuple[Case, ...]:
    """Every case, ordered by kind and name."""
    cases = [*_written_cases(), *generated_cases()]
    return tuple(sorted(cases, key=lambda case: (case.kind, case.name)))


def _written_cases() -> Iterator[Case]:
    for path in _HERE.glob("hostile/*/*.py"):
        yield read_case(path, kind=path.parent.name)
    for kind in ("odd_but_right", "hostile_but_correct"):
        for path in _HERE.glob(f"{kind}/*.py"):
            yield read_case(path, kind=kind)
