"""CodeIF-Bench, level L-1 part 1: stand-alone functions with verifiable instructions."""

from __future__ import annotations

from evaluation.engine import instructions
from evaluation.engine.conversations import matrices
from evaluation.engine.conversations.scripts import with_instructions
from evaluation.engine.conversations.transcripts import transcripts
from evaluation.engine.families.codeif_function import dataset, judging
from evaluation.engine.family import COMPILED, ByExecution, Family, Sampling
from evaluation.engine.texts import gettext_noop as _

FAMILY = Family(
    slug="codeif_function",
    title="CodeIF-Bench L-1, functions",
    flags={"one_process": _("the tests ran in the program's own process")},
    settings=(*instructions.SETTINGS, instructions.DYNAMIC),
    load_tasks=dataset.load_tasks,
    slots=instructions.slots,
    results=matrices.results,
    judged=ByExecution(
        image="python",
        limits=judging.LIMITS,
        canaries=judging.CANARIES,
        plan=judging.plan,
        proceed=judging.proceed,
        judge=judging.judge,
        program=judging.program,
        plain=COMPILED,
        runners=("standins", "script"),
        warm=(
            "inspect",
            "traceback",
            "typing",
            "pycodestyle",
            "mccabe",
            "radon.complexity",
            "radon.metrics",
        ),
        test_sets=instructions.test_sets,
        extracted=lambda _task, generation, setting: judging.extracted(generation, setting),
        rule=_(
            "The code is the first block that opens with ```python, or else the whole answer. For "
            "an instruction, docstrings and blank lines are left out; in a dynamic conversation, "
            "blank lines only."
        ),
        limits_by={instructions.DYNAMIC: judging.DYNAMIC_LIMITS},
    ),
    ks=(1, 5, 10),
    metrics=matrices.METRICS,
    begins={instructions.MULTI_TURN: instructions.BASE},
    folders=instructions.FOLDERS,
    slices=("category", "turn"),
    asking=with_instructions(Sampling(temperature=0.0, top_p=1.0), judging.DYNAMIC_LIMITS),
    transcripts=transcripts(),
    code=lambda _task, text: judging.code_in(text, base=True),
    solutions=lambda task: [task.hidden["code"]],
)
