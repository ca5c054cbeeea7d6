"""ruCodeEval: Python functions from Russian descriptions. See README.md."""

from collections.abc import Sequence

from evaluation.engine.conversations.filling import formatted
from evaluation.engine.conversations.scripts import own_prompts
from evaluation.engine.families.rucodeeval.canaries import CANARIES
from evaluation.engine.families.rucodeeval.dataset import load_questions, load_tasks
from evaluation.engine.families.rucodeeval.extraction import extract_code
from evaluation.engine.families.rucodeeval.judging import judge, plan
from evaluation.engine.families.rucodeeval.words import FLAGS
from evaluation.engine.family import ByExecution, Family, Sampling
from evaluation.engine.metrics.tally import ResultSlot, tally
from evaluation.engine.records import Limits, Slot, Task, TaskResult, Verdict
from evaluation.engine.texts import gettext_noop as _

__all__ = ["FAMILY"]


def slots(_task: Task, _setting: str) -> Sequence[Slot]:
    return (Slot(),)


def results(tasks: Sequence[Task], _setting: str, verdicts: Sequence[Verdict]) -> list[TaskResult]:
    """A task without generations is wrong in every sample."""
    return tally([ResultSlot(task.id, Slot()) for task in tasks], verdicts)


def solutions(task: Task) -> Sequence[str]:
    """The solution is a function's body; answers may repeat the function's head."""
    body = task.hidden["canonical_solution"]
    return () if body is None else (body, f"{task.public['function']}\n{body}")


FAMILY = Family(
    slug="rucodeeval",
    title="ruCodeEval",
    flags=FLAGS,
    settings=("base",),
    load_tasks=load_tasks,
    slots=slots,
    results=results,
    judged=ByExecution(
        image="python",
        limits=Limits(cpu_seconds=4.0),
        canaries=CANARIES,
        plan=plan,
        judge=judge,
        runners=("calls",),
        extracted=lambda generation, _setting: extract_code(generation.text),
        rule=_(
            "All complete blocks that open with ```python are joined. If no block is complete, the "
            "one that stays open counts; without any block, the whole answer."
        ),
    ),
    ks=(1, 5, 10),
    code=lambda _task, text: extract_code(text),
    solutions=solutions,
    asking=own_prompts(
        Sampling(samples=10, temperature=0.0), ("function",), formatted, load_questions
    ),
)
