"""Invented marks that ship with a family's sample, imported like any file of ratings."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
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
    lines = _lines(folder / RATINGS)
    names = sorted({line["rater"] for line in lines})
    campaign = create_campaign(
        revision=first.revision,
        title=TITLE,
        user=user,
        per_item=len(names),
        trial=Trial.AMONG,
    )
    rows = Submission.objects.filter(pk__in=[row.pk for row in submissions.values()])
    add_submissions(campaign=campaign, submissions=rows, user=user)
    for line in _lines(folder / KNOWN):
        task = campaign.revision.tasks.get(external_id=line["task_id"])
        marks = {criterion.name: int(line[criterion.name]) for criterion in campaign.criteria}
        add_known_item(campaign=campaign, task=task, text=line["code"], marks=marks)
    for name in names:
        username = _RATERS.format(name)
        rater, new = User.objects.get_or_create(
            username=username, defaults={"email": f"{username}@localhost"}
        )
        if new:
            rater.set_unusable_password()
            rater.save(update_fields=["password"])
        add_rater(campaign=campaign, user=rater)
    open_campaign(campaign=campaign)
    # The site takes submissions instead of models, and accounts instead of raters.
    out = io.StringIO()
    columns = ["submission", *(name for name in lines[0] if name != "model")]
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    for line in lines:
        submission, rater_name = submissions[line.pop("model")], _RATERS.format(line["rater"])
        writer.writerow({**line, "submission": submission.pk, "rater": rater_name})
    imported = import_ratings(
        campaign=campaign,
        content=out.getvalue().encode(),
        user=user,
        reason="The sample's own marks: invented, not given by people.",
    )
    return imported.given


def _lines(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8"), newline="")))
