"""RealCode: bodies of functions in real Python projects. See README.md."""

from functools import partial

from evaluation.engine.families.realcode.dataset import load_tasks, project
from evaluation.engine.families.realcode.judging import BODIES, SUITE
from evaluation.engine.family import Family
from evaluation.engine.projects import contributions
from evaluation.engine.projects.bodies import SETTING, judged

__all__ = ["FAMILY"]

FAMILY = Family(
    slug="realcode",
    title="RealCode",
    settings=(SETTING,),
    load_tasks=load_tasks,
    slots=contributions.slots,
    results=contributions.results,
    judged=judged(BODIES, SUITE, project),
    reference_results=partial(contributions.reference_results, tuple(BODIES.stubs)),
    metrics=contributions.METRICS,
    slices=("domain", "category"),
)
