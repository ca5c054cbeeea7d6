"""Recall of reference dependencies: of the project's names that a task's reference solution uses,
the share that a generation uses, too. Published with DevEval (`recall_k.py`); CodeIF-Bench's tasks
have the names of the reference by kind in `dependency`.

The names are found in the project's container by `sandbox/inside/names.py`, for a whole batch at a
time. Pure: runs nothing.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from evaluation.engine.family import Measure, Metric
from evaluation.engine.instructions import DYNAMIC
from evaluation.engine.metrics.passk import expected_largest
from evaluation.engine.metrics.tally import ResultSlot, by_slot
from evaluation.engine.projects.suite import Suite
from evaluation.engine.records import (
    Case,
    Execution,
    Json,
    Limits,
    Outcome,
    Task,
    TaskId,
    TaskResult,
    Verdict,
)
from evaluation.engine.texts import gettext_noop as _

KINDS = ("intra_class", "intra_file", "cross_file")
RUNNER = "names"
# Of one generation, and of the whole batch in addition.
SECONDS, MEMORY, SPARE_SECONDS = 10, 2 * 2**30, 60
KS = (1, 5, 10)
ALL = "all"
# What each metric counts.
_RECALLS = {"recall": ALL, **{f"recall {kind}": kind for kind in KINDS}}
_WORDS = {
    "recall@1": _("recall of the project's names (recall@1)"),
    "recall intra_class@1": _("recall of names of the same class"),
    "recall intra_file@1": _("recall of names of the same file"),
    "recall cross_file@1": _("recall of names of other files"),
}
METRICS = tuple(
    Metric(name, words=_WORDS.get(name, "")) for k in KS for name in (f"{x}@{k}" for x in _RECALLS)
)


def names_of(task: Task) -> dict[str, frozenset[str]]:
    """The names in all and by kind, without empty kinds."""
    lists = task.public.get("dependency", {})
    names = {kind: frozenset(lists[kind]) for kind in KINDS if lists.get(kind)}
    return {ALL: frozenset().union(*names.values()), **names} if names else {}


def measure(suite: Suite) -> Measure:
    def pieces(cases: Sequence[Case]) -> dict[TaskId, list[int]]:
        """The positions of the measured cases, by task."""
        groups: dict[TaskId, list[int]] = defaultdict(list)
        for position, case in enumerate(cases):
            if not case.test_set and case.setting != DYNAMIC and names_of(case.task):
                groups[case.task.id].append(position)
        return groups

    def plan(cases: Sequence[Case]) -> Execution | None:
        tasks: list[Json] = []
        files: dict[str, Json] = {}
        groups = pieces(cases)
        for positions in groups.values():
            case = cases[positions[0]]
            prepared = case.prepared
            assert prepared is not None and suite.place is not None, "tasks are in projects"
            place = suite.place(case.task, prepared)
            texts = prepared.texts
            # The project may lack a file of another task, which is then unfit.
            files |= {path: texts[path] for path in prepared.project.withheld if path in texts}
            codes = [suite.changed(cases[at])[place.path] for at in positions]
            cut = slice(len(place.before), -len(place.after) or None)
            tasks.append(
                {
                    "path": place.path,
                    "name": place.name,
                    "sources": sources(str(case.task.id), place.path),
                    "before": place.before,
                    "after": place.after,
                    "code": texts[place.path][cut],
                    "pieces": [code[cut] for code in codes],
                }
            )
        if not tasks:
            return None
        runs = sum(map(len, groups.values())) + len(tasks)
        limits = Limits(SECONDS * runs + SPARE_SECONDS, memory=2 * MEMORY)
        bounds: dict[str, Json] = {"seconds": SECONDS, "memory": MEMORY}
        return Execution(RUNNER, {"files": files, "tasks": tasks, "limits": bounds}, limits)

    def read(cases: Sequence[Case], outcome: Outcome) -> list[dict[str, tuple[int, int]] | None]:
        measured: list[dict[str, tuple[int, int]] | None] = [None] * len(cases)
        used: Any = outcome.report.get("names") if outcome.report is not None else None
        groups = pieces(cases)
        if not isinstance(used, list) or len(used) != len(groups):
            raise ValueError("not the names of this batch")
        for positions, several in zip(groups.values(), used, strict=True):
            for position, names in zip(positions, several, strict=True):
                measured[position] = {
                    kind: (len(wanted.intersection(names)), len(wanted))
                    for kind, wanted in names_of(cases[position].task).items()
                }
        return measured

    return Measure(plan, read)


def sources(task_id: str, path: str) -> str:
    """The folder that a task's module names start at: "src" for pkg.mod.f in src/pkg/mod.py. The
    project's root, "", if the id does not say."""
    parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
    for at in range(len(parts)):
        if task_id.startswith(f"{'.'.join(parts[at:])}."):
            return "/".join(parts[:at])
    return ""


def results(
    tasks: Sequence[Task], places: Sequence[ResultSlot], verdicts: Sequence[Verdict]
) -> list[TaskResult]:
    """Results of the slots of tasks with names, in all and by kind. A required slot without
    generations counts n samples of recall 0, n being the maximum over filled slots. Recall@k for
    k > 1 needs k samples in every slot, and none that is open."""
    names = {task.id: names_of(task) for task in tasks}
    filled, most = by_slot(verdicts)
    computed = []
    for name, kind in _RECALLS.items():
        values: list[tuple[ResultSlot, tuple[float | None, ...]]] = []
        for place in places:
            samples = filled[place.task_id, place.slot.requirement]
            if kind not in names[place.task_id] or not (samples or place.slot.required):
                continue
            samples.sort(key=lambda verdict: verdict.key.sample)
            recalls = tuple(_recall(verdict, kind) for verdict in samples)
            values.append((place, recalls or (0.0,) * most))
        is_open = any(None in recalls for _, recalls in values)
        fewest = min((len(recalls) for _, recalls in values), default=0)
        for k in KS:
            if k > 1 and (is_open or fewest < k):
                continue
            for place, recalls in values:
                result = TaskResult(
                    task_id=place.task_id,
                    metric=f"{name}@{k}",
                    n=len(recalls),
                    c=0,
                    open=recalls.count(None),
                    category=place.category,
                    turn=place.slot.turn,
                    overall=place.overall,
                    value=expected_largest([recall or 0.0 for recall in recalls], k),
                    samples=recalls if k == 1 else (),
                )
                computed.append(result)
    return computed


def _recall(verdict: Verdict, kind: str) -> float | None:
    if verdict.dependencies is None:
        return None
    used, every = verdict.dependencies[kind]
    return used / every
