"""The form for submitting: board, entrant and file, with example files for the chosen board."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import HttpResponseClientRedirect

from evaluation.engine.errors import UploadError
from evaluation.engine.records import Slot, TaskId
from evaluation.work.actions import submit_zip
from leaderboard.benchmarks.models import Benchmark
from leaderboard.benchmarks.public import public_record
from leaderboard.generation.runs import are_allowed
from leaderboard.pages.boards.words import setting_words
from leaderboard.pages.shared.access import confirmed_only, is_polling, signed_in
from leaderboard.pages.shared.record import render_page
from leaderboard.pages.submissions.forms import BoardForm, SubmitForm, board_initial
from leaderboard.pages.submissions.views.harness import harness_settings
from leaderboard.submissions.intake import open_benchmarks
from leaderboard.submissions.members import Destination

TASKS_SHOWN = 2
SLOTS_SHOWN = 2
FIRST, SECOND = "first answer", "second answer"
_MESSAGE, _NEXT_MESSAGE = "the task's prompt", "its first instruction that the answer fails"


@dataclass(frozen=True, slots=True)
class Example:
    title: str
    line: str
    text: str


@dataclass(frozen=True)
class BoardFormPage:
    """A page with a form that chooses a board. `benchmark` is None if there is none to choose."""

    form: BoardForm

    @cached_property
    def _board(self) -> tuple[Benchmark | None, str]:
        return self.form.board_shown() or (None, "")

    @property
    def benchmark(self) -> Benchmark | None:
        return self._board[0]

    @property
    def setting(self) -> str:
        return setting_words(self._board[1])

    @property
    def chosen(self) -> str:
        """The chosen board as the query of an address."""
        benchmark, setting = self._board
        return urlencode({"benchmark": benchmark.slug, "setting": setting}) if benchmark else ""

    @property
    def here(self) -> str:
        """The address to return to from another page."""
        return f"{reverse(self.form.address)}?{self.chosen}"


@dataclass(frozen=True)
class SubmitPage(BoardFormPage):
    @property
    def most_bytes(self) -> int:
        return int(settings.UPLOAD_MOST_BYTES)

    @property
    def takes_classes(self) -> bool:
        return self.benchmark is not None and self.benchmark.family.member is not None

    @property
    def runs_allowed(self) -> bool:
        return are_allowed()

    @property
    def examples(self) -> tuple[Example, ...]:
        benchmark, setting = self._board
        return format_examples(benchmark, setting) if benchmark else ()

    @property
    def template(self) -> str:
        """The address of the template; "" if there is none."""
        benchmark, setting = self._board
        if benchmark is None or not _has_template(benchmark, setting):
            return ""
        return reverse("submit-template", args=[benchmark.slug, setting])

    @property
    def prompts(self) -> str:
        """The address of the prompts; "" if they depend on answers."""
        benchmark, setting = self._board
        if benchmark is None or setting not in harness_settings(benchmark):
            return ""
        return reverse("harness-questions", args=[benchmark.slug, setting])


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@confirmed_only
def submit(request: HttpRequest) -> HttpResponse:
    user, status = signed_in(request), 200
    if request.method != "POST" and is_polling(request) and "board" in request.GET:
        form = SubmitForm(initial={"board": request.GET["board"]}, user=user)
        return render_page(request, "submissions/_formats_chosen.html", SubmitPage(form))
    if request.method != "POST":
        form = SubmitForm(initial=board_initial(request.GET.dict()), user=user)
    else:
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
    page = SubmitPage(form)
    return render_page(request, "submissions/submit.html", page, status=status)


@require_safe
def submit_template(request: HttpRequest, slug: str, setting: str) -> StreamingHttpResponse:
    """A prediction file to fill in. Raises Http404 for a setting that takes transcripts."""
    by_slug = {benchmark.slug: benchmark for benchmark in open_benchmarks(request.user)}
    benchmark = by_slug.get(slug)
    if benchmark is None or not _has_template(benchmark, setting):
        raise Http404
    # A record for each required slot, with an empty generation to be replaced.
    records = (_record(place, outputs=[""]) for place in _places(benchmark, setting))
    return StreamingHttpResponse(
        (json.dumps(record, ensure_ascii=False) + "\n" for record in records),
        content_type="application/jsonl",
        headers={"Content-Disposition": f'attachment; filename="{slug}-{setting}.jsonl"'},
    )


def _has_template(benchmark: Benchmark, setting: str) -> bool:
    family = benchmark.family
    return setting in family.settings and family.transcripts_in(setting) is None


def format_examples(benchmark: Benchmark, setting: str) -> tuple[Example, ...]:
    """The accepted formats, with the first tasks of the current revision."""
    places = list(_places(benchmark, setting, TASKS_SHOWN, SLOTS_SHOWN))
    if not places:
        return ()
    if benchmark.family.transcripts_in(setting) is not None:
        turns = (_MESSAGE, FIRST, _NEXT_MESSAGE, SECOND)
        messages = [
            {"role": role, "content": content}
            for role, content in zip(("user", "assistant") * 2, turns, strict=True)
        ]
        transcripts = Example(
            _("One line per task"),
            _("The conversation as `generate` writes it; other fields are ignored."),
            _lines({"task_id": task, "messages": messages} for task, _slot in places),
        )
        return (transcripts,)
    metas = [{"id": task, **_requirement(slot)} for task, slot in places]
    per_task = Example(
        _("One line per task"),
        _("JSON Lines, or one JSON array; all generations of a task in a list."),
        _lines(_record(place, outputs=[FIRST, SECOND]) for place in places),
    )
    of_harness = Example(
        _("A sample log of lm-evaluation-harness"),
        _("The generations are taken from resps; filtered_resps is never read."),
        _lines({"doc": {"meta": meta}, "resps": [[FIRST, SECOND]]} for meta in metas),
    )
    if benchmark.family.member is not None:
        classes = Example(
            _("A method or a class on each line"),
            _("Other fields, as in the benchmark's own files, are ignored."),
            _lines(_record(place, code=FIRST) for place in places),
        )
        zipped = Example(
            _("A zip of classes"),
            _("Each file is named after its task; any text may precede the number."),
            "\n".join(f"Model{task}.java" for task, _slot in places),
        )
        return (classes, zipped, per_task, of_harness)
    per_generation = Example(
        _("One line per generation"),
        _("Further lines for the same task are further samples."),
        _lines(_record(place, completion=text) for place in places for text in (FIRST, SECOND)),
    )
    mera = [{"outputs": [FIRST, SECOND], "meta": meta} for meta in metas]
    of_mera = Example(
        _("A MERA submission"),
        _("As the benchmark's own tools write it; also inside a .zip."),
        json.dumps({"data": {"test": mera}}, ensure_ascii=False),
    )
    return (per_task, per_generation, of_mera, of_harness)


def _places(
    benchmark: Benchmark, setting: str, tasks: int | None = None, slots: int | None = None
) -> Iterator[tuple[TaskId, Slot]]:
    """The required slots of the first `tasks` tasks, at most `slots` of each."""
    assert benchmark.current is not None, "only boards that take submissions have a form"
    for task in benchmark.current.tasks.order_by("number")[:tasks]:
        required = (s for s in benchmark.family.slots(public_record(task), setting) if s.required)
        for slot in islice(required, slots):
            yield task.id_in_dataset, slot


def _record(place: tuple[TaskId, Slot], **texts: Any) -> dict[str, Any]:
    task, slot = place
    return {"task_id": task, **_requirement(slot), **texts}


def _requirement(slot: Slot) -> dict[str, str]:
    return {"requirement": slot.requirement} if slot.requirement else {}


def _lines(records: Iterator[dict[str, Any]]) -> str:
    return "\n".join(json.dumps(record, ensure_ascii=False) for record in records)
