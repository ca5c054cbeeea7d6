"""Campaigns of human rating. States and recovery: docs/contributors/states.md."""

from leaderboard.annotation.models.assignment import Assignment, AssignmentState, Draft
from leaderboard.annotation.models.campaign import (
    Campaign,
    CampaignChange,
    CampaignState,
    Item,
    Rater,
    RaterState,
    Trial,
)
from leaderboard.annotation.models.mark import KnownMark, MarkChange, Outcome, Rating
from leaderboard.annotation.models.panel import PanelAgreement, PanelScore, RaterAgreement

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
    "Trial",
]
