"""The form for submitting: board, entrant and file."""

from __future__ import annotations

from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import HttpResponseClientRedirect

from evaluation.engine.errors import UploadError
from evaluation.work.actions import submit_zip
from leaderboard.accounts.models import User, teams_of
from leaderboard.benchmarks.models import Benchmark
from leaderboard.generation.runs import are_allowed
from leaderboard.pages.boards.words import setting_words
from leaderboard.pages.shared.access import is_polling, signed_in
from leaderboard.pages.submissions.forms import SubmitForm, board_initial
from leaderboard.pages.submissions.queries import open_benchmarks
from leaderboard.pages.submissions.views.examples import format_examples, template_lines
from leaderboard.submissions.members import Destination


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: HttpRequest) -> HttpResponse:
    user, status = signed_in(request), 200
    if is_polling(request) and "board" in request.GET:
        form = SubmitForm(initial={"board": request.GET["board"]}, user=user)
        return render(request, "submissions/_formats_chosen.html", _context(form, user))
    form = SubmitForm(initial=board_initial(request.GET.dict()), user=user)
    if request.method == "POST":
        form, status = SubmitForm(request.POST, request.FILES, user=user), 422
        if form.is_valid():
            try:
                upload, *_others = submit_zip(
                    user=user,
                    entrant=form.cleaned_data["entrant"],
                    chosen=Destination(*form.target()),
                    file=form.cleaned_data["file"],
                    benchmarks=[*form.benchmarks.values()],
                    declaration=form.cleaned_data.get("declaration"),
                )
            except UploadError as error:
                form.refuse("file", error)
            else:
                # To the upload, or to those of its zip. A script gets the address in a header.
                address = upload.get_absolute_url()
                if upload.batch_id is not None:
                    address = reverse("upload-zip", args=[upload.batch_id])
                if request.headers.get("X-Requested-With") == "XMLHttpRequest":
                    return HttpResponseClientRedirect(address)
                return redirect(address)
    return render(request, "submissions/submit.html", _context(form, user), status=status)


@require_safe
def submit_template(request: HttpRequest, slug: str, setting: str) -> StreamingHttpResponse:
    """A prediction file to fill in. Raises Http404 for a setting that takes transcripts."""
    benchmark = next((one for one in open_benchmarks(request.user) if one.slug == slug), None)
    if benchmark is None or not _has_template(benchmark, setting):
        raise Http404
    return StreamingHttpResponse(
        template_lines(benchmark, setting),
        content_type="application/jsonl",
        headers={"Content-Disposition": f'attachment; filename="{slug}-{setting}.jsonl"'},
    )


def _has_template(benchmark: Benchmark, setting: str) -> bool:
    family = benchmark.family
    return setting in family.settings and family.transcripts_in(setting) is None


def _context(form: SubmitForm, user: User) -> dict[str, object]:
    context: dict[str, object] = {
        "form": form,
        "has_entrants": form.has_entrants(),
        "teams": teams_of(user),
        # The address to return to from another page.
        "here": f"{reverse('submit')}?",
        "most_bytes": settings.UPLOAD_MOST_BYTES,
        "runs_allowed": are_allowed(),
    }
    board = form.board_shown()
    if board is None:
        return context
    benchmark, setting = board
    query = urlencode({"benchmark": benchmark.slug, "setting": setting})
    template = ""
    if _has_template(benchmark, setting):
        template = reverse("submit-template", args=[benchmark.slug, setting])
    return {
        **context,
        "here": f"{reverse('submit')}?{query}",
        "chosen": query,
        "setting": setting_words(setting),
        "examples": format_examples(benchmark, setting),
        "template": template,
        "benchmark": benchmark,
        "takes_classes": bool(benchmark.family.member),
    }
