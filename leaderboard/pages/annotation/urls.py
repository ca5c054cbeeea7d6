"""URLs of rating and of campaigns."""

from django.urls import URLPattern, URLResolver, include, path

from leaderboard.annotation.models import RaterState
from leaderboard.pages.annotation.views import campaigns, contents, rate, raters, workspace

_ADMIT, _DISMISS = {"state": RaterState.RATING}, {"state": RaterState.DISMISSED}
_RATERS = [
    path("", rate.rate, name="rate"),
    path("ask/", rate.rate_ask, name="rate-ask"),
    path("<int:pk>/", rate.rate_campaign, name="rate-campaign"),
    path("<int:pk>/next/", rate.rate_next, name="rate-next"),
    path("<int:pk>/practice/<int:number>/", rate.rate_practice, name="rate-practice"),
    path("items/<int:pk>/", workspace.rate_item, name="rate-item"),
    path("items/<int:pk>/save/", workspace.rate_save, name="rate-save"),
    path("items/<int:pk>/skip/", workspace.rate_skip, name="rate-skip"),
    path("items/<int:pk>/draft/", workspace.rate_draft, name="rate-draft"),
    path("items/<int:pk>/here/", workspace.rate_here, name="rate-here"),
    path("items/<int:pk>/leave/", workspace.rate_leave, name="rate-leave"),
]
_CAMPAIGN = [
    path("", campaigns.campaign, name="campaign"),
    path("open/", campaigns.campaign_open, name="campaign-open"),
    path("close/", campaigns.campaign_close, name="campaign-close"),
    path("choose/", campaigns.campaign_choose, name="campaign-choose"),
    path("submissions/", contents.campaign_submissions, name="campaign-submissions"),
    path(
        "submissions/<int:submission>/remove/",
        contents.campaign_submission_remove,
        name="campaign-submission-remove",
    ),
    path("terms/", contents.campaign_terms, name="campaign-terms"),
    path("known/", contents.campaign_known, name="campaign-known"),
    path("raters/", raters.campaign_raters, name="campaign-raters"),
    path("raters/add/", raters.rater_add, name="rater-add"),
    path("raters/<int:number>/", raters.campaign_rater, name="campaign-rater"),
    path("raters/<int:number>/admit/", raters.rater_decide, _ADMIT, name="rater-admit"),
    path("raters/<int:number>/dismiss/", raters.rater_decide, _DISMISS, name="rater-dismiss"),
    path("differences/", raters.campaign_differences, name="campaign-differences"),
    path("disagreements/", raters.campaign_disagreements, name="campaign-disagreements"),
    path("skips/", raters.campaign_skips, name="campaign-skips"),
    path("items/", raters.campaign_items, name="campaign-items"),
    path("items/<int:item>/", raters.campaign_item, name="campaign-item"),
    path("marks.csv", raters.campaign_marks, name="campaign-marks"),
]
urlpatterns: list[URLPattern | URLResolver] = [
    path("rate/", include(_RATERS)),
    path("campaigns/", campaigns.campaigns, name="campaigns"),
    path("campaigns/new/", campaigns.campaign_new, name="campaign-new"),
    path("campaigns/<int:pk>/", include(_CAMPAIGN)),
]
