"""Runs the conformance list of every sandbox image and reports each line."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from itertools import chain

from evaluation.engine.sandbox import images

Tell = Callable[[str], object]
# An image's own list is in the module selfcheck_<name>; these have others. Projects' images get
# their interpreter from the image for Python.
_LISTS = {"python": ("selfcheck", "selfcheck_projects")}


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
    for name in images.NAMES:
        image, title, failed = images.ensure(client, name, say), name.capitalize(), 0
        modules = (
            import_module(f"evaluation.engine.sandbox.{module}")
            for module in _LISTS.get(name, (f"selfcheck_{name}",))
        )
        for check in chain.from_iterable(m.run(image.reference, runtime) for m in modules):
            tell(f"{'ok  ' if check.held else 'FAIL'} {check.claim}")
            if not check.held:
                failed += 1
                tell(f"     {check.seen}")
        if failed:
            worse.append(f"{failed} of the checks for {title} failed: do not judge {title} here.")
        else:
            tell(f"The sandbox for {title} passed all checks.")
    return worse
