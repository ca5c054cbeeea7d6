"""Addresses of uploads and submissions."""

from __future__ import annotations

from django.urls import URLPattern, path

from leaderboard.pages.submissions.views.actions import (
    submission_answer,
    submission_cancel,
    submission_hide,
    submission_publish,
    submission_show,
    submission_withdraw,
)
from leaderboard.pages.submissions.views.conversations import conversation
from leaderboard.pages.submissions.views.deleting import entrant_delete, submission_delete
from leaderboard.pages.submissions.views.harness import harness, harness_questions, harness_task
from leaderboard.pages.submissions.views.lists import (
    declaration_withdraw,
    declarations,
    submissions,
)
from leaderboard.pages.submissions.views.results import submission_verdicts
from leaderboard.pages.submissions.views.submission import submission
from leaderboard.pages.submissions.views.submit import submit, submit_template
from leaderboard.pages.submissions.views.tasks import answer, codes, submission_task
from leaderboard.pages.submissions.views.uploads import (
    upload,
    upload_confirm,
    upload_discard,
    upload_zip,
    upload_zip_confirm,
    uploads_discard,
)

urlpatterns: list[URLPattern] = [
    path("submit/", submit, name="submit"),
    path("submit/<slug:slug>/<slug:setting>.jsonl", submit_template, name="submit-template"),
    path("harness/", harness, name="harness"),
    path("harness/<slug:slug>/<slug:setting>.yaml", harness_task, name="harness-task"),
    path("harness/<slug:slug>/<slug:setting>.jsonl", harness_questions, name="harness-questions"),
    path("compare/<slug:slug>/tasks/<int:number>/", codes, name="compare-codes"),
    path("uploads/discard/", uploads_discard, name="uploads-discard"),
    path("uploads/<int:pk>/", upload, name="upload"),
    path("uploads/<int:pk>/live/", upload, {"live": True}, name="upload-live"),
    path("uploads/<int:pk>/confirm/", upload_confirm, name="upload-confirm"),
    path("uploads/<int:pk>/discard/", upload_discard, name="upload-discard"),
    path("uploads/<int:pk>/zip/", upload_zip, name="upload-zip"),
    path("uploads/<int:pk>/zip/live/", upload_zip, {"live": True}, name="upload-zip-live"),
    path("uploads/<int:pk>/zip/confirm/", upload_zip_confirm, name="upload-zip-confirm"),
    path("declarations/", declarations, name="declarations"),
    path("declarations/<int:pk>/withdraw/", declaration_withdraw, name="declaration-withdraw"),
    path("submissions/", submissions, name="submissions"),
    path("submissions/<int:pk>/", submission, name="submission"),
    path("submissions/<int:pk>/live/", submission, {"live": True}, name="submission-live"),
    path("submissions/<int:pk>/cancel/", submission_cancel, name="submission-cancel"),
    path("submissions/<int:pk>/publish/", submission_publish, name="submission-publish"),
    path("submissions/<int:pk>/answer/", submission_answer, name="submission-answer"),
    path("submissions/<int:pk>/withdraw/", submission_withdraw, name="submission-withdraw"),
    path("submissions/<int:pk>/delete/", submission_delete, name="submission-delete"),
    path("entrants/<slug:slug>/delete/", entrant_delete, name="entrant-delete"),
    path("submissions/<int:pk>/show/", submission_show, name="submission-show"),
    path("submissions/<int:pk>/hide/", submission_hide, name="submission-hide"),
    path("submissions/<int:pk>/tasks/<int:number>/", submission_task, name="submission-task"),
    path("submissions/<int:pk>/answers/<int:generation>.txt", answer, name="answer"),
    path(
        "submissions/<int:pk>/tasks/<int:number>/conversations/<int:sample>/",
        conversation,
        name="submission-conversation",
    ),
    path("submissions/<int:pk>/verdicts.jsonl", submission_verdicts, name="submission-verdicts"),
]
