"""ruCodeEval: Python functions from Russian descriptions. See README.md."""

from collections.abc import Sequence

from evaluation.engine.conversations.scripts import own_prompts
from evaluation.engine.conversations.wording import formatted
from evaluation.engine.families.rucodeeval import judging
from evaluation.engine.families.rucodeeval.dataset import load_questions, load_tasks
from evaluation.engine.family import COMPILED, ByExecution, Family, Sampling
from evaluation.engine.metrics.tally import passes
from evaluation.engine.records import Limits, Task
from evaluation.engine.texts import gettext_noop as _


def solutions(task: Task) -> Sequence[str]:
    """The solution is a function's body; answers may repeat the function's head."""
    body = task.hidden["canonical_solution"]
    return () if body is None else (body, f"{task.public['function']}\n{body}")


FAMILY = Family(
    slug="rucodeeval",
    title="ruCodeEval",
    flags={"bad_report": _("the report of the run is inconsistent")},
    settings=("base",),
    load_tasks=load_tasks,
    results=passes,
    judged=ByExecution(
        image="python",
        limits=Limits(cpu_seconds=4.0),
        canaries=judging.CANARIES,
        plan=judging.plan,
        judge=judging.judge,
        program=judging.program,
        plain=COMPILED,
        runners=("calls",),
        extracted=lambda _task, generation, _setting: judging.extract_code(generation.text),
        rule=_(
            "All complete blocks that open with ```python are joined. If no block is complete, the "
            "one that stays open counts; without any block, the whole answer."
        ),
    ),
    ks=(1, 5, 10),
    code=lambda _task, text: judging.extract_code(text),
    solutions=solutions,
    asking=own_prompts(
        Sampling(samples=10, temperature=0.0), ("function",), formatted, load_questions
    ),
)
