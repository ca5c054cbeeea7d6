"""Which member of an uploaded zip is the prediction for which task."""

from __future__ import annotations

import re

from evaluation.engine.records import TaskId

# The digits before the ending are the id, so that a prefix ends in anything but a digit; the
# bound is there for what comes after it, not for any benchmark.
_MEMBER = re.compile(r"(?:.*\D)?(0|[1-9][0-9]{0,8})\.java", re.DOTALL)


def member_task(name: str) -> TaskId | None:
    """The id in `<prefix><task_id>.java`, in whatever folder; None for any other name.

    What systems put beside files (`._Name12.java`) is none.
    """
    base = name.replace("\\", "/").rpartition("/")[2]
    found = _MEMBER.fullmatch(base)
    return int(found[1]) if found and not base.startswith(".") else None
