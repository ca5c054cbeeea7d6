"""Each family's key of the clusters that intervals and tests count."""

import pytest

from evaluation.engine.records import Task
from evaluation.engine.registry import FAMILIES

# The noun, and the field of a task's public part that is the key. Elsewhere each task is its own
# cluster.
CLUSTERS = {
    "realcode": ("repository", "repository"),
    "realcode_java": ("repository", "repository"),
    "codeif_repository": ("project", "project"),
}
# More fields than any family reads, so that the key of a wrong field has another name.
PUBLIC = {name: f"the {name}" for name in ("repository", "project", "package", "domain", "file")}


@pytest.mark.parametrize("slug", FAMILIES)
def test_tasks_of_one_cluster_count_as_one(slug: str) -> None:
    clusters, expected = FAMILIES[slug].clusters, CLUSTERS.get(slug)
    if clusters is None or expected is None:
        assert clusters is expected
    else:
        key = clusters.of(Task(id=1, public=PUBLIC, hidden={}))
        assert (clusters.noun, key) == (expected[0], f"the {expected[1]}")
