"""Tests that a task stored as a row comes back as the same record."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase
from pytest_django import DjangoAssertNumQueries

from evaluation.engine import records
from leaderboard.benchmarks.models import Benchmark, Revision
from leaderboard.benchmarks.public import public_record
from leaderboard.benchmarks.records import stored_task, task_record, task_records
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database

# Any text, also with NUL. A high surrogate before a low one becomes one character, as in JSON.
TEXTS = st.text(st.characters(exclude_categories=())).map(
    lambda text: text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
PARTS = st.dictionaries(TEXTS, VALUES, max_size=4)
# Characters that an import accepts in columns that are searched and sorted.
PLAIN = st.characters(codec="utf-8", exclude_characters="\0")
WORDS = st.none() | st.text(PLAIN, min_size=1, max_size=20)
TASKS = st.builds(
    records.Task,
    id=st.integers() | st.text(PLAIN, min_size=1, max_size=200),
    public=PARTS,
    hidden=PARTS,
    language=st.sampled_from(["python", "java"]),
    natural_language=WORDS,
    level=WORDS,
    domain=WORDS,
    category=WORDS,
)


def exact(value: Any) -> str:
    """The value with its types and the order of its keys, which equality ignores."""
    return repr(value)


class RoundTrip(TestCase):
    @given(task=TASKS)
    def test_a_task_comes_back_as_it_was(self, task: records.Task) -> None:
        revision = self._revision()
        row, hidden = stored_task(task, revision=revision, number=0)
        row.save()
        hidden.task = row
        hidden.save()
        assert exact(task_records(revision)) == exact({row.pk: task})

    @given(task=TASKS)
    def test_a_public_record_holds_nothing_hidden(self, task: records.Task) -> None:
        row, _hidden = stored_task(task, revision=self._revision(), number=0)
        assert exact(public_record(row)) == exact(task_record(row, {}))
        assert public_record(row).hidden == {}

    def _revision(self) -> Revision:
        benchmark = Benchmark.objects.create(slug="any", family_slug="any", setting="base")
        return benchmark.revisions.create(label="1", sha256="0" * 64)


def test_records_take_one_query(
    cast: Cast, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    revision = cast.rucodeeval.current
    with django_assert_num_queries(1):
        assert len(task_records(revision)) == 12
