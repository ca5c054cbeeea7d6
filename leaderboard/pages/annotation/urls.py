"""URLs of rating and of campaigns."""

from __future__ import annotations

from django.urls import URLPattern, path

from leaderboard.pages.annotation.views.campaigns import (
    campaign,
    campaign_close,
    campaign_new,
    campaign_open,
    campaigns,
)
from leaderboard.pages.annotation.views.known import campaign_known
from leaderboard.pages.annotation.views.marks import (
    campaign_differences,
    campaign_disagreements,
    campaign_item,
    campaign_items,
    campaign_marks,
    campaign_skips,
)
from leaderboard.pages.annotation.views.practice import rate_practice
from leaderboard.pages.annotation.views.rate import rate, rate_campaign, rate_next
from leaderboard.pages.annotation.views.raters import (
    campaign_rater,
    campaign_raters,
    rater_add,
    rater_admit,
    rater_dismiss,
)
from leaderboard.pages.annotation.views.submissions import (
    campaign_submission_remove,
    campaign_submissions,
)
from leaderboard.pages.annotation.views.terms import campaign_terms
from leaderboard.pages.annotation.views.workspace import (
    rate_draft,
    rate_here,
    rate_item,
    rate_leave,
    rate_save,
    rate_skip,
)

_RATERS: list[URLPattern] = [
    path("rate/", rate, name="rate"),
    path("rate/<int:pk>/", rate_campaign, name="rate-campaign"),
    path("rate/<int:pk>/next/", rate_next, name="rate-next"),
    path("rate/<int:pk>/practice/<int:number>/", rate_practice, name="rate-practice"),
    path("rate/items/<int:pk>/", rate_item, name="rate-item"),
    path("rate/items/<int:pk>/save/", rate_save, name="rate-save"),
    path("rate/items/<int:pk>/skip/", rate_skip, name="rate-skip"),
    path("rate/items/<int:pk>/draft/", rate_draft, name="rate-draft"),
    path("rate/items/<int:pk>/here/", rate_here, name="rate-here"),
    path("rate/items/<int:pk>/leave/", rate_leave, name="rate-leave"),
]
_ORGANISERS: list[URLPattern] = [
    path("campaigns/", campaigns, name="campaigns"),
    path("campaigns/new/", campaign_new, name="campaign-new"),
    path("campaigns/<int:pk>/", campaign, name="campaign"),
    path("campaigns/<int:pk>/open/", campaign_open, name="campaign-open"),
    path("campaigns/<int:pk>/close/", campaign_close, name="campaign-close"),
    path("campaigns/<int:pk>/submissions/", campaign_submissions, name="campaign-submissions"),
    path(
        "campaigns/<int:pk>/submissions/<int:submission>/remove/",
        campaign_submission_remove,
        name="campaign-submission-remove",
    ),
    path("campaigns/<int:pk>/terms/", campaign_terms, name="campaign-terms"),
    path("campaigns/<int:pk>/known/", campaign_known, name="campaign-known"),
    path("campaigns/<int:pk>/raters/", campaign_raters, name="campaign-raters"),
    path("campaigns/<int:pk>/raters/add/", rater_add, name="rater-add"),
    path("campaigns/<int:pk>/raters/<int:number>/", campaign_rater, name="campaign-rater"),
    path("campaigns/<int:pk>/raters/<int:number>/admit/", rater_admit, name="rater-admit"),
    path("campaigns/<int:pk>/raters/<int:number>/dismiss/", rater_dismiss, name="rater-dismiss"),
    path("campaigns/<int:pk>/differences/", campaign_differences, name="campaign-differences"),
    path(
        "campaigns/<int:pk>/disagreements/", campaign_disagreements, name="campaign-disagreements"
    ),
    path("campaigns/<int:pk>/skips/", campaign_skips, name="campaign-skips"),
    path("campaigns/<int:pk>/items/", campaign_items, name="campaign-items"),
    path("campaigns/<int:pk>/items/<int:item>/", campaign_item, name="campaign-item"),
    path("campaigns/<int:pk>/marks.csv", campaign_marks, name="campaign-marks"),
]
urlpatterns: list[URLPattern] = [*_RATERS, *_ORGANISERS]
