"""RealCodeJava: bodies of methods in real Java projects. See README.md."""

from functools import partial

from evaluation.engine.families.realcode_java.dataset import load_tasks, project
from evaluation.engine.families.realcode_java.judging import BODIES, SUITE
from evaluation.engine.family import Family
from evaluation.engine.projects import contributions
from evaluation.engine.projects.bodies import SETTING, judged

__all__ = ["FAMILY"]

FAMILY = Family(
    slug="realcode_java",
    title="RealCodeJava",
    settings=(SETTING,),
    load_tasks=load_tasks,
    slots=contributions.slots,
    results=contributions.results,
    judged=judged(BODIES, SUITE, project),
    reference_results=partial(contributions.reference_results, tuple(BODIES.stubs)),
    metrics=contributions.METRICS,
    slices=("domain", "category"),
)
