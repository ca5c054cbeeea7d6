"""The explicit list of families. A new family needs its folder and two lines here."""

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.families import (
    aixbench_auto,
    aixbench_nl,
    codeif_function,
    codeif_repository,
    realcode,
    realcode_java,
    rucodeeval,
)
from evaluation.engine.family import Family
from evaluation.engine.sandbox import attribution

FAMILIES: dict[str, Family] = {
    family.slug: family
    for family in (
        rucodeeval.FAMILY,
        realcode.FAMILY,
        realcode_java.FAMILY,
        codeif_function.FAMILY,
        codeif_repository.FAMILY,
        aixbench_auto.FAMILY,
        aixbench_nl.FAMILY,
    )
}

# Over all families; the words are marked for translation.
_METRICS = {
    metric.name: metric
    for listed in FAMILIES.values()
    for metric in (*listed.metrics, *(listed.transcripts.metrics if listed.transcripts else ()))
}
METRIC_WORDS = {name: metric.words for name, metric in _METRICS.items() if metric.words}
TURN_METRICS = tuple(name for name, metric in _METRICS.items() if metric.by_turn)


def result_metric(score: str) -> str:
    """The name of the task results behind a score: "pass" for "pass@5", "recall@5" for itself."""
    name, at, _k = score.rpartition("@")
    return name if at and score not in _METRICS else score


FLAG_WORDS: dict[str, str] = attribution.FLAGS | {
    flag: words for listed in FAMILIES.values() for flag, words in listed.flags.items()
}


def family(slug: str) -> Family:
    """Raises BenchmarkError, which lists the existing families."""
    try:
        return FAMILIES[slug]
    except KeyError:
        slugs = ", ".join(sorted(FAMILIES))
        raise BenchmarkError(f"There is no family {slug!r}. The families are {slugs}.") from None
