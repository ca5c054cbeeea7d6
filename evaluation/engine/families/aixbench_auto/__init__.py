"""aix-bench, automated tests: Java methods from English and Chinese sentences. See README.md."""

from pathlib import Path

from evaluation.engine.conversations.scripts import in_languages
from evaluation.engine.families.aixbench_auto.assembling import REPAIRS
from evaluation.engine.families.aixbench_auto.canaries import CANARIES
from evaluation.engine.families.aixbench_auto.dataset import load_kit, load_questions, load_tasks
from evaluation.engine.families.aixbench_auto.judging import RUNNER, judge, plan, proceed
from evaluation.engine.families.aixbench_auto.kit import packed
from evaluation.engine.families.aixbench_auto.predictions import member_task
from evaluation.engine.families.aixbench_auto.prompts import TEXTS
from evaluation.engine.families.aixbench_auto.scoring import METRICS, SLICES, results, slots
from evaluation.engine.family import ByExecution, Family, Plain, Sampling
from evaluation.engine.records import Limits, Status

__all__ = ["FAMILY"]


def _kit(tasks_path: Path) -> bytes:
    return packed(load_kit(tasks_path))


FAMILY = Family(
    slug="aixbench_auto",
    title="aix-bench",
    settings=("base",),
    load_tasks=load_tasks,
    slots=slots,
    results=results,
    judged=ByExecution(
        image="java",
        # The authors set no time limit. A JVM by itself takes 0.2 s and 60 MiB.
        limits=Limits(cpu_seconds=10.0, memory=1024 * 2**20, pids=256),
        canaries=CANARIES,
        plan=plan,
        proceed=proceed,
        judge=judge,
        runners=(RUNNER,),
        batch_seconds=20.0,
        # The compiler sees the text and classes that any text may use, never an evaluation.
        plain=Plain(REPAIRS, frozenset({Status.COMPILE_ERROR})),
    ),
    kit=_kit,
    member=member_task,
    metrics=METRICS,
    slices=SLICES,
    # The authors publish no sampling settings.
    asking=in_languages(Sampling(temperature=0.0), TEXTS, load_questions),
)
