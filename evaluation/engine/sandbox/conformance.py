"""Runs the conformance list of every sandbox image and reports each line."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from evaluation.engine.sandbox import images, selfcheck, selfcheck_java, selfcheck_projects

Tell = Callable[[str], object]
_LISTS = {
    "python": ("Python", (selfcheck.run, selfcheck_projects.run)),
    "java": ("Java", (selfcheck_java.run,)),
}


def try_all(
    client: images.Client,
    *,
    tell: Tell,
    say: images.Say = lambda _: None,
    runtime: str | None = None,
) -> list[str]:
    """Returns one sentence per sandbox with a failing claim; `tell` gets every line. Raises
    SandboxError if an image cannot be made or a sandbox does not start."""
    worse = []
    for name, (title, lists) in _LISTS.items():
        image = images.ensure(client, name, say)
        failed = 0
        for check in chain.from_iterable(checks(image.reference, runtime) for checks in lists):
            tell(f"{'ok  ' if check.held else 'FAIL'} {check.claim}")
            if not check.held:
                failed += 1
                tell(f"     {check.seen}")
        if failed:
            worse.append(f"{failed} of the checks for {title} failed: do not judge {title} here.")
        else:
            tell(f"The sandbox for {title} passed all checks.")
    return worse
