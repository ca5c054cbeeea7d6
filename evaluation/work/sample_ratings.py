"""Invented marks that ship with a family's sample, imported like any file of ratings."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.annotation.campaigns import (
    add_known_item,
    add_rater,
    add_submissions,
    create_campaign,
    open_campaign,
)
from leaderboard.annotation.importing import import_ratings
from leaderboard.annotation.models import Campaign, Trial
from leaderboard.submissions.models import Submission

RATINGS, KNOWN = "ratings.csv", "qualification.csv"
TITLE = "Sample marks (invented)"
_RATERS = "sample-{}"


@transaction.atomic
def rate_samples(*, folder: Path, submissions: Mapping[str, Submission], user: User) -> int:
    """Creates a campaign with the marks of `ratings.csv`; `submissions` are by model name. Returns
    the number of marks, 0 if the campaign already exists. Raises RatingsRefused."""
    first = next(iter(submissions.values()), None)
    if first is None or Campaign.objects.filter(revision=first.revision, title=TITLE).exists():
        return 0
    lines = list(_lines(folder / RATINGS))
    campaign = create_campaign(
        revision=first.revision,
        title=TITLE,
        user=user,
        per_item=len({line["rater"] for line in lines}),
        trial=Trial.AMONG,
    )
    rows = Submission.objects.filter(pk__in=[one.pk for one in submissions.values()])
    add_submissions(campaign=campaign, submissions=rows, user=user)
    _add_known(campaign, folder / KNOWN)
    for name in sorted({line["rater"] for line in lines}):
        add_rater(campaign=campaign, user=_invented(name))
    open_campaign(campaign=campaign)
    imported = import_ratings(
        campaign=campaign,
        content=_as_the_site_takes_it(lines, submissions),
        user=user,
        reason="The sample's own marks: invented, not given by people.",
    )
    return imported.given


def _lines(path: Path) -> Iterator[dict[str, str]]:
    yield from csv.DictReader(io.StringIO(path.read_text("utf-8"), newline=""))


def _invented(name: str) -> User:
    username = _RATERS.format(name)
    user, new = User.objects.get_or_create(
        username=username, defaults={"email": f"{username}@localhost"}
    )
    if new:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user


def _add_known(campaign: Campaign, path: Path) -> None:
    scales = [criterion.name for criterion in campaign.criteria]
    for line in _lines(path):
        task = campaign.revision.tasks.get(external_id=line["task_id"])
        marks = {name: int(line[name]) for name in scales}
        add_known_item(campaign=campaign, task=task, text=line["code"], marks=marks)


def _as_the_site_takes_it(
    lines: list[dict[str, str]], submissions: Mapping[str, Submission]
) -> bytes:
    """Replaces models by submissions, and raters by account names."""
    out = io.StringIO()
    names = ["submission", *(name for name in lines[0] if name != "model")]
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    for line in lines:
        told = {**line, "submission": submissions[line["model"]].pk}
        told["rater"] = _RATERS.format(line["rater"])
        del told["model"]
        writer.writerow(told)
    return out.getvalue().encode()
