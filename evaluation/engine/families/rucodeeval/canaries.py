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


CANARIES = tuple(
    Canary(Case(_TASK, Generation(Key("canary", sample), body), "base"), passes)
    for sample, (body, passes) in enumerate(
        [
            ("    return list(dict.fromkeys(words))\n", True),
            # Right only in the second test, so that a too lenient comparison is detected.
            ("    return sorted(words)\n", False),
        ]
    )
)
