"""Maps members of an uploaded zip to tasks."""

from __future__ import annotations

import re

from evaluation.engine.records import TaskId

# The digits before the ending are the id, so a prefix cannot end in a digit. The bound keeps
# the number small for later code; no benchmark needs it.
_MEMBER = re.compile(r"(?:.*\D)?(0|[1-9][0-9]{0,8})\.java", re.DOTALL)


def member_task(name: str) -> TaskId | None:
    """The id in `<prefix><task_id>.java`, in any folder; None for any other name.

    Metadata files of operating systems (`._Name12.java`) have no id.
    """
    base = name.replace("\\", "/").rpartition("/")[2]
    found = _MEMBER.fullmatch(base)
    return int(found[1]) if found and not base.startswith(".") else None
