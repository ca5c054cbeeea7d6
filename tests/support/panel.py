"""Shared by the tests of human rating: a rated benchmark, campaigns, raters, items."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from leaderboard.accounts.models import Team, User
from leaderboard.annotation import assigning, campaigns, rating
from leaderboard.annotation.models import (
    Assignment,
    AssignmentState,
    Campaign,
    Item,
    MarkChange,
    Rater,
    Rating,
)
from leaderboard.benchmarks.importing import import_revision
from leaderboard.benchmarks.models import Benchmark, Revision, Task
from leaderboard.submissions.models import Generation, Submission
from tests.evaluation.web.conftest import shared_database
from tests.support.cast import FAMILIES, PASSWORD, Cast, confirmed_user
from tests.support.snapshots import made_once

__all__ = ["shared_database"]

FAIR = {"correctness": 3, "code quality": 2, "maintainability": 4}
POOR = {"correctness": 1, "code quality": 2, "maintainability": 3}


@dataclass
class Panel:
    """alice's Northwood and charlie's Fenland have an entrant each; ann, ben, cat, dan and eve
    belong to no team and rate. By default eight tasks, and two raters for each generation."""

    cast: Cast
    folder: Path
    tasks: int = 8

    @cached_property
    def benchmark(self) -> Benchmark:
        every = (FAMILIES / "aixbench_nl/sample/tasks.jsonl").read_text("utf-8").splitlines()
        tasks = self.folder / "tasks.jsonl"
        tasks.write_text("\n".join(every[: self.tasks]), "utf-8")
        return import_revision(
            family_slug="aixbench_nl", tasks=tasks, answers=None, label="sample"
        ).benchmark

    @property
    def revision(self) -> Revision:
        assert self.benchmark.current is not None
        return self.benchmark.current

    @cached_property
    def northwood(self) -> Submission:
        return self.submission("Larch", self.cast.northwood, "int a() { return 1; }")

    @cached_property
    def fenland(self) -> Submission:
        text = "String b(List<String> many) { return many.get(0); }"
        return self.submission("Sedge", self.cast.fenland, text)

    def submission(self, name: str, team: Team, text: str) -> Submission:
        entrant = self.cast.entrant(name, team)
        return self.cast.submission(entrant, benchmark=self.benchmark, samples=1, text=text)

    def longer(self, name: str) -> Submission:
        """Adds tasks to the revision, twelve in all: enough for figures of agreement. Returns a
        submission with generations for all of them."""
        for number in range(8, 12):
            self.revision.tasks.create(
                number=number,
                external_id=f"{number}0",
                id_is_number=True,
                public={},
                language="java",
            )
        submission = self.submission(name, self.cast.fenland, "int a;")
        Generation.objects.bulk_create(
            Generation(submission=submission, task=task, sample=0, text="int b;")
            for task in self.revision.tasks.filter(number__gte=8)
        )
        return submission

    @cached_property
    def campaign(self) -> Campaign:
        """An open campaign with the generations of both submissions."""

        def make() -> dict[str, Any]:
            campaign = self.open(self.northwood, self.fenland)
            made = {name: vars(self)[name] for name in ("benchmark", "northwood", "fenland")}
            return {**made, "campaign": campaign}

        # A snapshot is of an empty database.
        empty = not (User.objects.exists() or Benchmark.objects.exists())
        made = made_once(self.cast, f"panel of {self.tasks} tasks", make) if empty else make()
        vars(self).update(made)
        campaign: Campaign = made["campaign"]
        return campaign

    def new(self, **terms: Any) -> Campaign:
        terms = {"per_item": 2, "fewest_ratings": 4, "least_agreement": -1.0, **terms}
        return campaigns.create_campaign(
            revision=self.revision, title="Autumn", user=self.cast.dora, **terms
        )

    def open(self, *submissions: Submission, **terms: Any) -> Campaign:
        campaign = self.new(**terms)
        self.add(campaign, *submissions)
        campaigns.open_campaign(campaign=campaign)
        return campaign

    def with_known_item(
        self, *submissions: Submission, marks: Mapping[str, int] = FAIR, **terms: Any
    ) -> Campaign:
        """An open campaign with an item whose marks are known."""
        campaign = self.new(**terms)
        self.add(campaign, *submissions)
        campaigns.add_known_item(campaign=campaign, task=self.task(), text="int x;", marks=marks)
        campaigns.open_campaign(campaign=campaign)
        return campaign

    def add(self, campaign: Campaign, *submissions: Submission) -> int:
        rows = Submission.objects.filter(pk__in=[one.pk for one in submissions])
        return campaigns.add_submissions(campaign=campaign, submissions=rows)

    def person(self, name: str) -> User:
        found = User.objects.filter(username=name).first()
        return found or confirmed_user(name, f"{name}@example.org", PASSWORD)

    def rater(self, name: str, campaign: Campaign | None = None, **more: Any) -> Rater:
        return campaigns.add_rater(
            campaign=campaign or self.campaign, user=self.person(name), **more
        )

    def item(self, campaign: Campaign | None = None, number: int = 0) -> Item:
        return (campaign or self.campaign).items.order_by("pk")[number]

    def task(self, number: int = 0) -> Task:
        return self.revision.tasks.get(number=number)


@pytest.fixture
def panel(cast: Cast, tmp_path: Path) -> Panel:
    """Its benchmark, submissions and campaign are made when first asked for."""
    return Panel(cast, tmp_path)


def take(rater: Rater) -> Assignment:
    found = assigning.take_next(rater=rater, owner="a tab")
    assert found is not None
    return found


def take_this(
    rater: Rater, item: Item, kind: Assignment.Kind = Assignment.Kind.ALONE
) -> Assignment:
    found = assigning.take_item(rater=rater, item_pk=item.pk, kind=kind, owner="a tab")
    assert found is not None
    return found


def rate(rater: Rater, item: Item, marks: Mapping[str, int] = FAIR) -> list[MarkChange]:
    return rating.save_ratings(assignment=take_this(rater, item), marks=marks)


def rate_all(rater: Rater, marks: Mapping[str, int] = FAIR) -> int:
    """Rates every item that the rater is given; returns their number."""
    count = 0
    while (row := assigning.take_next(rater=rater, owner="a tab")) is not None:
        rating.save_ratings(assignment=row, marks=marks)
        count += 1
    return count


def store(rater: Rater, marks: Callable[[int], Mapping[str, int]]) -> None:
    """Stores the rater's marks for every item, by its position in the campaign, as if they had been
    saved: for tests of results with many marks."""
    rows = Assignment.objects.bulk_create(
        Assignment(item=item, rater=rater, state=AssignmentState.DONE)
        for item in rater.campaign.items.order_by("pk")
    )
    tops = {criterion.name: criterion.top for criterion in rater.campaign.criteria}
    Rating.objects.bulk_create(
        Rating(assignment=row, criterion=name, value=value, top=tops[name])
        for number, row in enumerate(rows)
        for name, value in marks(number).items()
    )
    campaigns.want_results(campaign=rater.campaign)
