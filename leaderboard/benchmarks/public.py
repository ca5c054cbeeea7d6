"""Tasks as the engine's records, without their hidden part. The hidden part is in `records`."""

import re
from collections.abc import Mapping
from typing import Any

from django.utils.text import Truncator

from evaluation.engine import records
from leaderboard.benchmarks.models import TITLE_CHARACTERS, Task
from leaderboard.text import storable

# A task's title: the first of these inputs, else a name in these texts, else the first line of one.
_TITLES = ("title", "entry_point", "function_name", "method_name", "name")
_OPENINGS = ("prompt", "instruction", "description", "raw_nl")
# Matches: a function called 'collatz_steps'
_NAMED = re.compile(r"(?i)\b(?:function|method|class)\b[^.\n]{0,40}?['\"`](\w+)['\"`]")
# Columns without a value are "", and None in records.
OPTIONAL = ("natural_language", "level", "domain", "category")


def public_record(task: Task) -> records.Task:
    return records.Task(
        id=task.id_in_dataset,
        public=task.public,
        hidden={},
        language=task.language,
        **{name: getattr(task, name) or None for name in OPTIONAL},
    )


def title_of(public: Mapping[str, Any]) -> str:
    """ "" if no input has a text that titles can be taken from."""
    for name in (*_TITLES, *_OPENINGS):
        value = public.get(name)
        if not isinstance(value, str) or not value.strip():
            continue
        named = None if name in _TITLES else _NAMED.search(value)
        title = named[1] if named else value.strip().splitlines()[0]
        return storable(Truncator(title).chars(TITLE_CHARACTERS))
    return ""
