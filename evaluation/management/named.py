"""Finds what a command names."""

from django.core.management.base import CommandError

from leaderboard.benchmarks.models import Benchmark, Revision


def named_revision(slug: str, label: str | None) -> Revision:
    """The current revision if `label` is None. Raises CommandError if there is none."""
    benchmark = Benchmark.objects.filter(slug=slug).select_related("current").first()
    if benchmark is None:
        slugs = ", ".join(Benchmark.objects.values_list("slug", flat=True)) or "none yet"
        raise CommandError(f"There is no benchmark {slug}; there are: {slugs}.")
    revision = benchmark.revisions.filter(label=label).first() if label else benchmark.current
    if revision is None:
        missing = f"revision {label}" if label else "current revision"
        raise CommandError(f"{slug} has no {missing}. Import one with import_benchmark.")
    return revision
