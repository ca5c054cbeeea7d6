"""The runs that a person's teams declared, the form that declares one, and its withdrawal."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from evaluation.engine.errors import UploadError
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.submissions.forms import DeclareForm, board_initial
from leaderboard.pages.submissions.queries import team_declarations
from leaderboard.submissions.declaring import declare, withdraw_declaration
from leaderboard.submissions.models import Declaration

PER_PAGE = 50


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def declarations(request: HttpRequest) -> HttpResponse:
    user, status = signed_in(request), 200
    form = DeclareForm(initial=board_initial(request.GET.dict()), user=user)
    if request.method == "POST":
        form, status = DeclareForm(request.POST, user=user), 422
        if form.is_valid():
            benchmark, setting = form.target()
            assert benchmark.current is not None, "open benchmarks have a revision"
            try:
                declare(
                    user=user,
                    entrant=form.cleaned_data["entrant"],
                    revision=benchmark.current,
                    setting=setting,
                    samples=form.cleaned_data["samples"],
                    model=form.cleaned_data["model"],
                )
            except UploadError as error:
                form.refuse("board", error)
            else:
                messages.success(request, _("Declared. You can upload its file now."))
                return redirect("declarations")
    context = {
        "form": form,
        "possible": bool(form.benchmarks) and form.has_entrants(),
        "page": Paginator(team_declarations(user), PER_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "submissions/declarations.html", context, status=status)


@require_POST
def declaration_withdraw(request: HttpRequest, pk: int) -> HttpResponseBase:
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("declarations"))
    found = get_object_or_404(Declaration.objects.editable_by(request.user), pk=pk)
    if withdraw_declaration(declaration=found, user=signed_in(request)):
        messages.success(request, _("Withdrawn. Boards count it as withdrawn."))
    else:
        messages.warning(
            request, _("A file was uploaded for this run, or it was withdrawn before.")
        )
    return redirect("declarations")
