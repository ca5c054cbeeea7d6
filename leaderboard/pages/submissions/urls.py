"""Addresses of uploads and submissions."""

from django.urls import URLPattern, path

from leaderboard.pages.submissions.views import (
    actions,
    conversations,
    deleting,
    harness,
    lists,
    results,
    submit,
    tasks,
    uploads,
)
from leaderboard.pages.submissions.views.submission import submission

urlpatterns: list[URLPattern] = [
    path("submit/", submit.submit, name="submit"),
    path("submit/<slug:slug>/<slug:setting>.jsonl", submit.submit_template, name="submit-template"),
    path("harness/", harness.harness, name="harness"),
    path("harness/<slug:slug>/<slug:setting>.yaml", harness.harness_task, name="harness-task"),
    path(
        "harness/<slug:slug>/<slug:setting>.jsonl",
        harness.harness_questions,
        name="harness-questions",
    ),
    path("compare/<slug:slug>/tasks/<int:number>/", tasks.codes, name="compare-codes"),
    path("uploads/discard/", uploads.uploads_discard, name="uploads-discard"),
    path("uploads/<int:pk>/", uploads.upload, name="upload"),
    path("uploads/<int:pk>/live/", uploads.upload, {"live": True}, name="upload-live"),
    path("uploads/<int:pk>/confirm/", uploads.upload_confirm, name="upload-confirm"),
    path("uploads/<int:pk>/discard/", uploads.upload_discard, name="upload-discard"),
    path("uploads/<int:pk>/zip/", uploads.upload_zip, name="upload-zip"),
    path("uploads/<int:pk>/zip/live/", uploads.upload_zip, {"live": True}, name="upload-zip-live"),
    path("uploads/<int:pk>/zip/confirm/", uploads.upload_zip_confirm, name="upload-zip-confirm"),
    path("declarations/", lists.declarations, name="declarations"),
    path(
        "declarations/<int:pk>/withdraw/", lists.declaration_withdraw, name="declaration-withdraw"
    ),
    path("submissions/", lists.submissions, name="submissions"),
    path("submissions/<int:pk>/", submission, name="submission"),
    path("submissions/<int:pk>/live/", submission, {"live": True}, name="submission-live"),
    path("submissions/<int:pk>/cancel/", actions.submission_cancel, name="submission-cancel"),
    path("submissions/<int:pk>/publish/", actions.submission_publish, name="submission-publish"),
    path("submissions/<int:pk>/answer/", actions.submission_answer, name="submission-answer"),
    path("submissions/<int:pk>/withdraw/", actions.submission_withdraw, name="submission-withdraw"),
    path("submissions/<int:pk>/delete/", deleting.submission_delete, name="submission-delete"),
    path("entrants/<slug:slug>/delete/", deleting.entrant_delete, name="entrant-delete"),
    path("submissions/<int:pk>/show/", actions.submission_show, name="submission-show"),
    path("submissions/<int:pk>/hide/", actions.submission_hide, name="submission-hide"),
    path("submissions/<int:pk>/tasks/<int:number>/", tasks.submission_task, name="submission-task"),
    path("submissions/<int:pk>/answers/<int:generation>.txt", tasks.answer, name="answer"),
    path(
        "submissions/<int:pk>/tasks/<int:number>/conversations/<int:sample>/",
        conversations.conversation,
        name="submission-conversation",
    ),
    path(
        "submissions/<int:pk>/verdicts.jsonl",
        results.submission_verdicts,
        name="submission-verdicts",
    ),
]
