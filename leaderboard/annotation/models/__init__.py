"""Campaigns of human rating. States and recovery: docs/contributors/states.md."""

from leaderboard.annotation.models.campaign import (
    Campaign,
    CampaignChange,
    CampaignState,
    Item,
    Rater,
    RaterState,
    ResultSource,
    Trial,
)
from leaderboard.annotation.models.mark import (
    Assignment,
    AssignmentState,
    Draft,
    KnownMark,
    MarkChange,
    Outcome,
    PanelAgreement,
    PanelScore,
    RaterAgreement,
    Rating,
)

__all__ = [
    "Assignment",
    "AssignmentState",
    "Campaign",
    "CampaignChange",
    "CampaignState",
    "Draft",
    "Item",
    "KnownMark",
    "MarkChange",
    "Outcome",
    "PanelAgreement",
    "PanelScore",
    "Rater",
    "RaterAgreement",
    "RaterState",
    "Rating",
    "ResultSource",
    "Trial",
]
