"""URLs of runs."""

from django.urls import URLPattern, path

from leaderboard.pages.generation.views import run, run_new, run_resume, run_stop

urlpatterns: list[URLPattern] = [
    path("runs/new/", run_new, name="run-new"),
    path("runs/<int:pk>/", run, name="run"),
    path("runs/<int:pk>/live/", run, {"live": True}, name="run-live"),
    path("runs/<int:pk>/stop/", run_stop, name="run-stop"),
    path("runs/<int:pk>/resume/", run_resume, name="run-resume"),
]
