"""aix-bench, descriptions only: Java methods that people rate on three scales. See README.md."""

from evaluation.engine.conversations.scripts import in_languages
from evaluation.engine.families.aixbench_nl.criteria import CRITERIA, METRICS
from evaluation.engine.families.aixbench_nl.dataset import load_tasks
from evaluation.engine.families.aixbench_nl.prompts import TEXTS
from evaluation.engine.families.aixbench_nl.results import results, slots
from evaluation.engine.family import ByPeople, Family, Sampling

__all__ = ["FAMILY"]

FAMILY = Family(
    slug="aixbench_nl",
    title="aix-bench NL",
    settings=("base",),
    load_tasks=load_tasks,
    slots=slots,
    judged=ByPeople(criteria=CRITERIA, results=results),
    ks=(),
    metrics=METRICS,
    slices=("natural_language",),
    # The authors publish no sampling settings.
    asking=in_languages(Sampling(temperature=0.0), TEXTS),
)
