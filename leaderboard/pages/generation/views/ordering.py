"""Orders a run: board, entrant, model and sampling."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods

from evaluation.engine.errors import EndpointError, UploadError
from evaluation.engine.instructions import DYNAMIC
from evaluation.work.actions import order_run
from leaderboard.accounts.models import Team, User
from leaderboard.generation.runs import are_allowed
from leaderboard.messages import in_readers_language
from leaderboard.pages.boards.words import setting_words
from leaderboard.pages.generation.forms import RunForm, published, sampling_words
from leaderboard.pages.shared.access import confirmed_only, is_polling, signed_in
from leaderboard.pages.submissions.forms import board_initial


@sensitive_post_parameters("key")
@sensitive_variables("form")
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@confirmed_only
def run_new(request: HttpRequest) -> HttpResponse:
    """Filled in from the query string. Raises Http404 if runs are not allowed."""
    if not are_allowed():
        raise Http404
    user = signed_in(request)
    if request.method == "POST":
        form = RunForm(request.POST, user=user)
        if form.is_valid():
            try:
                return redirect(order_run(run=form.run(user), key=form.cleaned_data["key"]))
            except (UploadError, EndpointError) as refused:
                form.add_error(None, in_readers_language(refused.message))
        return render(request, "generation/run_new.html", _context(form, user), status=422)
    if is_polling(request) and "board" in request.GET:
        form = RunForm(initial={"board": request.GET["board"]}, user=user)
        return render(request, "generation/_published.html", _context(form, user))
    query = {name: value for name, value in request.GET.items() if isinstance(value, str)}
    form = RunForm(initial=board_initial(query), user=user)
    return render(request, "generation/run_new.html", _context(form, user))


def _context(form: RunForm, user: User) -> dict[str, object]:
    query = QueryDict(mutable=True)
    context: dict[str, object] = {
        "form": form,
        "has_entrants": form.has_entrants(),
        "teams": Team.objects.filter(memberships__user=user),
        "benchmark": None,
    }
    if shown := form.board_shown():
        benchmark, setting = shown
        query.update({"benchmark": benchmark.slug, "setting": setting})
        asking, revision = benchmark.family.asking, benchmark.current
        assert asking is not None and revision is not None, "the form offers no other"
        context |= {
            "benchmark": benchmark,
            "setting": setting_words(setting),
            "revision": revision,
            "in_tasks": asking.in_tasks,
            "tasks": revision.tasks.count(),
            "sampling": sampling_words(published(benchmark, setting)),
            "dynamic": setting == DYNAMIC,
        }
    # This page's address with the chosen board, for returning from other pages.
    return context | {"here": f"{reverse('run-new')}?{query.urlencode()}"}
