"""The page of a submission, with its progress, its results and its live part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import get_language, gettext
from django.views.decorators.http import require_safe

from evaluation.models import Evaluation, EvaluationState
from evaluation.state.progress import Progress, progress
from leaderboard.benchmarks.models import Task
from leaderboard.pages.boards.rows import in_order
from leaderboard.pages.boards.words import reference_words, setting_words, slice_name, slice_value
from leaderboard.pages.shared.citing import Citation
from leaderboard.pages.shared.conversations.reading import has_conversations
from leaderboard.pages.shared.crumbs import entrant_crumbs
from leaderboard.pages.submissions.forms import PublishForm
from leaderboard.pages.submissions.provenance import facts
from leaderboard.pages.submissions.views.changes import changes
from leaderboard.pages.submissions.views.conversations import talks_context
from leaderboard.pages.submissions.views.groups import BY_NAME, GROUPS, Group
from leaderboard.pages.submissions.views.live import LivePart, answer, name_of, version_on_page
from leaderboard.pages.submissions.views.rated import mean_lines, rated_of, rated_steps
from leaderboard.pages.submissions.views.results import (
    MISSING,
    results_page,
    without_generations,
)
from leaderboard.pages.submissions.views.rights import may_cancel
from leaderboard.pages.submissions.views.steps import steps_of
from leaderboard.pages.submissions.views.would_be import would_be
from leaderboard.scores.models import Score
from leaderboard.submissions.bases import beginning_words
from leaderboard.submissions.models import Provenance, Submission, Visibility
from leaderboard.submissions.publishing import hold_words, offered_tasks

LIVE = "submissions/_submission_live.html"


@require_safe
def submission(request: HttpRequest, pk: int) -> HttpResponse:
    found = visible_submission(request, pk)
    context = {**_context(request, found, *_state(found)), **_cited(request, found)}
    context["live"] = LivePart.of(request, LIVE, context, _version(found, context)).html
    return render(request, "submissions/submission.html", context)


@require_safe
def submission_live(request: HttpRequest, pk: int) -> HttpResponse:
    """The final update includes the page's head, because its buttons change then. Before that,
    nothing is rendered if the page already has the current version."""
    on_page = version_on_page(request)
    found = visible_submission(request, pk)
    shown, state = _state(found)
    known = {"evaluation": shown.evaluation, "aside": shown.aside}
    held = bool(_hold(found, own=_may_edit(request, found)))
    version = _version(found, known | _progress(found, state, shown.evaluation, held=held))
    if shown.moving and version and on_page == version:
        return HttpResponse(status=204)
    context = _context(request, found, shown, state)
    part = LivePart.of(request, LIVE, {**context, "with_head": not context["moving"]}, version)
    return answer(part, on_page=on_page, over=not context["moving"])


def _cited(request: HttpRequest, found: Submission) -> dict[str, object]:
    """The citations and the badge. Only published results have them: others must be able to open
    the address."""
    if found.visibility != Visibility.PUBLISHED or found.published is None:
        return {}
    benchmark, address = (
        found.revision.benchmark,
        request.build_absolute_uri(found.get_absolute_url()),
    )
    title = gettext("%(entrant)s on %(title)s") % {
        "entrant": found.entrant.name,
        "title": benchmark.title,
    }
    facts = (
        gettext("revision %(label)s") % {"label": found.revision.label},
        gettext("%(name)s setting") % {"name": setting_words(found.setting)},
        gettext("submission %(number)s") % {"number": found.pk},
    )
    query = {
        "entrant": found.entrant.slug,
        "setting": found.setting,
        "revision": found.revision.label,
    }
    badge = f"{reverse('badge', args=[benchmark.slug])}?{urlencode(query)}"
    return {
        "citations": [
            Citation(gettext("This result"), title, address, facts, found.published.year)
        ],
        "badge": request.build_absolute_uri(badge) if found.standings.exists() else "",
        "address": address,
    }


def visible_submission(request: HttpRequest, pk: int) -> Submission:
    """The submission with related rows. Raises Http404 if the user may not see it."""
    rows = Submission.objects.visible_to(request.user)
    return get_object_or_404(
        rows.select_related("entrant__team", "revision__benchmark", "user", "upload").defer(
            "upload__report", "upload__left_out", "upload__messages"
        ),
        pk=pk,
    )


@dataclass(frozen=True, slots=True)
class Shown:
    evaluation: Evaluation | None
    aside: Evaluation | None

    @classmethod
    def of(cls, found: Submission) -> Shown:
        rows = list(found.evaluations.order_by("-pk"))
        moving = (row for row in rows if not row.current and row.state in EvaluationState.moving())
        return cls(next((row for row in rows if row.current), None), next(moving, None))

    @property
    def both(self) -> list[Evaluation]:
        return [one for one in (self.evaluation, self.aside) if one]

    @property
    def moving(self) -> bool:
        return any(one.state in EvaluationState.moving() for one in self.both)


def _version(found: Submission, known: Mapping[str, Any]) -> str:
    """A name for the state that the live part shows while tests judge: it changes with every
    verdict and every step. "" if people judge. `known` is the context, or the part of it that
    `submission_live` has."""
    state: Progress | None = known.get("progress")
    if found.is_rated or state is None:
        return ""
    both = [one for one in (known["evaluation"], known["aside"]) if one]
    rows = [(one.pk, one.current, one.state, one.attempt, one.cause) for one in both]
    counts = (state.counts, state.runs_done, state.remarks, state.workers, state.holders)
    words = (get_language(), found.visibility, known["steps"], known["chunk_states"])
    return name_of(repr((rows, counts, words)))


@dataclass(frozen=True, slots=True)
class Departing:
    task: Task
    sentence: str


def _may_edit(request: HttpRequest, found: Submission) -> bool:
    return Submission.objects.editable_by(request.user).filter(pk=found.pk).exists()


def _hold(found: Submission, *, own: bool) -> str:
    """The reason why its team cannot publish it now; "" if it can, or for other users."""
    return hold_words(found) if own and found.visibility != Visibility.PUBLISHED else ""


def _state(found: Submission) -> tuple[Shown, Progress | None]:
    shown = Shown.of(found)
    return shown, progress(shown.evaluation) if shown.evaluation else None


def _context(
    request: HttpRequest, found: Submission, shown: Shown, state: Progress | None
) -> dict[str, object]:
    editable = _may_edit(request, found)
    published = found.visibility == Visibility.PUBLISHED
    hold = _hold(found, own=editable)
    provenance = Provenance.objects.filter(submission=found).first()
    return {
        "submission": found,
        "benchmark": found.revision.benchmark,
        "setting": setting_words(found.setting),
        "crumbs": entrant_crumbs(found.entrant, own=editable),
        "editable": editable,
        "by_turns": found.revision.benchmark.family.transcripts_in(found.setting) is not None,
        "published": published,
        "hold": hold,
        "evaluation": shown.evaluation,
        "aside": shown.aside,
        "moving": shown.moving,
        "provenance": facts(provenance.said) if provenance else [],
        "cancellable": any(may_cancel(request.user, found, one) for one in shown.both),
        **_progress(found, state, shown.evaluation, held=bool(hold)),
        "holders": _holders(request, state) if state and state.holders else [],
        **_refused(shown.evaluation, reasons=editable or request.user.is_staff),
        **_results(request, found, shown.evaluation),
        **_rated(found, shown.evaluation, own=editable, held=bool(hold)),
        "changes": changes(found, shown.evaluation) if editable else None,
        "would_be": would_be(found, shown.evaluation) if editable else None,
        **(_showing(request, found) if editable and not found.is_rated else {}),
        "conversing": has_conversations(found.setting),
        **talks_context(found, shown.evaluation),
    }


def _showing(request: HttpRequest, found: Submission) -> dict[str, object]:
    """The generations that its team can show to everyone, or shows. A consent that is not in force
    now can be withdrawn too."""
    if found.visibility != Visibility.PUBLISHED:
        offered = offered_tasks(found, request.user).select_related("task").order_by("task__number")
        initial = {"shown": [one.pk for one in offered]}
        form = PublishForm(offered=offered, initial=initial) if offered else None
        return {"offered": offered, "publish_form": form}
    consents = found.consents.select_related("shown__task").order_by("shown__task__number")
    agreed = consents.exists()
    return {"agreed": agreed, "consents": consents.visible_to(request.user) if agreed else []}


def _refused(evaluation: Evaluation | None, *, reasons: bool) -> dict[str, object]:
    """`reasons`: whether to show the reasons of the refusal."""
    if evaluation is None or evaluation.state != EvaluationState.REFUSED:
        return {}
    found = evaluation.departures if reasons else []
    tasks = Task.objects.in_bulk([task for task, _ in found])
    return {
        "refused": True,
        "departing": [
            Departing(tasks[task], evaluation.shown(sentence)) for task, sentence in found
        ],
        "more_departing": evaluation.more_departures if reasons else 0,
    }


def _rated(
    found: Submission, evaluation: Evaluation | None, *, own: bool, held: bool
) -> dict[str, object]:
    if evaluation is None or not found.is_rated:
        return {}
    rated = rated_of(found)
    return {
        "rated": rated,
        "publishable": rated.begun > 0,
        "steps": rated_steps(found, evaluation, rated, held=held),
        "means": mean_lines(rated, found, own=own),
        "cancellable": False,
    }


def _progress(
    found: Submission, state: Progress | None, evaluation: Evaluation | None, *, held: bool
) -> dict[str, object]:
    if state is None or evaluation is None:
        return {}
    return {
        "progress": state,
        "done": state.state == EvaluationState.DONE,
        "publishable": state.state == EvaluationState.DONE,
        "over": state.state in EvaluationState.scored(),
        "cancelled": state.state == EvaluationState.CANCELLED,
        "percent_judged": 100 * state.runs_done // state.runs if state.runs else 0,
        "steps": steps_of(found, state, cause=evaluation.shown(evaluation.cause), held=held),
        "chunk_states": ["returned" if one.given_back else one.state for one in state.chunks],
        "counts": _counts(state),
    }


def _holders(request: HttpRequest, state: Progress) -> list[str]:
    """The holders of slots that chunks wait for. Only staff see numbers of others' submissions."""
    if request.user.is_staff:
        told = gettext("For staff: the slots are held by %(holders)s.")
        return [told % {"holders": ", ".join(state.holders)}]
    numbers = [one.removeprefix("submission ") for one in state.holders]
    keys = [int(one) for one in numbers if one.isdecimal()]
    rows = Submission.objects.editable_by(request.user).filter(pk__in=keys)
    own = list(rows.order_by("pk").values_list("pk", flat=True))
    others = len(state.holders) - len(own)
    said = []
    if own:
        told = gettext("Your submissions that hold slots: %(numbers)s.")
        said.append(told % {"numbers": ", ".join(map(str, own))})
    if others:
        told = gettext("Others that hold slots, of other teams or of the site: %(number)d.")
        said.append(told % {"number": others})
    return said


def _counts(state: Progress) -> list[tuple[Group, int]]:
    rare = ("review", "infrastructure")
    found = [(group, state.counts.get(group.name, 0)) for group in GROUPS]
    return [(group, number) for group, number in found if number or group.name not in rare]


def _results(
    request: HttpRequest, found: Submission, evaluation: Evaluation | None
) -> dict[str, object]:
    group = request.GET.get("verdict", "")
    group = group if group in {*BY_NAME, MISSING} else ""
    page, rows = results_page(found, evaluation, group=group, number=request.GET.get("page"))
    shown: dict[str, object] = {"page": page, "rows": rows, "group": group}
    if not found.is_rated:
        shown["missing"] = without_generations(found.revision.tasks.all(), found).count()
    return {**shown, **_scores(found, evaluation)}


def _scores(found: Submission, evaluation: Evaluation | None) -> dict[str, object]:
    """Overall scores, the primary one first, and the primary score by slice."""
    if evaluation is None or evaluation.state != EvaluationState.DONE:
        return {}
    primary = found.revision.benchmark.metric_in(found.setting)
    rows = sorted(evaluation.scores.order_by("pk"), key=lambda row: row.metric != primary)
    slices: dict[str, list[Score]] = {}
    for row in rows:
        if row.slice != "overall" and row.metric == primary:
            slices.setdefault(row.slice, []).append(row)
    return {
        "beginning": beginning_words(found),
        "primary": primary,
        "overall": [row for row in rows if row.slice == "overall" and not row.of_references],
        "references": [
            (reference_words(row.metric), row)
            for row in in_order(r for r in rows if r.slice == "overall" and r.of_references)
        ],
        # A slice with a single value repeats the overall score.
        "slices": [
            (
                slice_name(name, [score.slice_value for score in values]),
                [(slice_value(name, score.slice_value), score) for score in values],
            )
            for name, values in slices.items()
            if len(values) > 1
        ],
    }
