"""Two programs with known verdicts."""

from __future__ import annotations

from evaluation.engine.family import Canary
from evaluation.engine.records import Case, Generation, Key, Task
from evaluation.engine.sandbox.inside.plain import encode

_FUNCTION = '''def canary(words):
    """Вернуть слова, каждое один раз, в порядке появления."""
'''
_TASK = Task(
    "canary",
    public={
        "instruction": "{function}",
        "function": _FUNCTION,
        "entry_point": "canary",
        "test_count": 2,
    },
    hidden={
        "tests": [encode({"words": ["да", "нет", "да"]}), encode({"words": []})],
        "outputs": ["['да', 'нет']", "[]"],
        "canonical_solution": None,
    },
    natural_language="ru",
)


def _canary(sample: int, body: str, *, passes: bool) -> Canary:
    generation = Generation(Key("canary", sample), body)
    return Canary(Case(_TASK, generation, "base"), passes)


CANARIES = (
    _canary(0, "    return list(dict.fromkeys(words))\n", passes=True),
    # Right only in the second test, so that a too lenient comparison is detected.
    _canary(1, "    return sorted(words)\n", passes=False),
)
