"""The page of a submission, with its progress, its results and its live part."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, Exists, F, OuterRef, Subquery
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import get_language, gettext
from django.views.decorators.http import require_safe

from evaluation.models import Evaluation, EvaluationState
from evaluation.state.progress import Progress, progress
from evaluation.state.rights import may_cancel, visible_submission
from leaderboard.accounts.models import Person, staff_may, teams_of
from leaderboard.benchmarks.models import Task
from leaderboard.boards.rows import rank_text
from leaderboard.boards.scores import in_order
from leaderboard.messages import in_readers_language
from leaderboard.pages.boards.words import reference_words, setting_words, slice_name, slice_value
from leaderboard.pages.shared.citing import Citation
from leaderboard.pages.shared.conversations.reading import has_conversations
from leaderboard.pages.shared.crumbs import entrant_crumbs
from leaderboard.pages.submissions.forms import LicenceForm
from leaderboard.pages.submissions.provenance import facts
from leaderboard.pages.submissions.views import results
from leaderboard.pages.submissions.views.changes import changes, would_be
from leaderboard.pages.submissions.views.conversations import talks_of
from leaderboard.pages.submissions.views.live import live_page, name_of
from leaderboard.pages.submissions.views.rated import mean_lines, rated_of, rated_steps
from leaderboard.pages.submissions.views.steps import Step, steps_of
from leaderboard.scores.models import Board, Receipt, Score, Standing
from leaderboard.submissions.bases import beginning_words
from leaderboard.submissions.models import Consent, Copy, Provenance, Submission, Visibility
from leaderboard.submissions.publishing import hold_words, holding_copies, may_show


@require_safe
def submission(request: HttpRequest, pk: int, *, live: bool = False) -> HttpResponse:
    """With `live`, only the part that changes, and nothing if the page has its current version. The
    final update includes the page's head, because its buttons change then."""
    row, user = visible_submission(request, pk), request.user
    published = row.visibility == Visibility.PUBLISHED
    evaluations = list(row.evaluations.order_by("-pk"))
    under_way = [one for one in evaluations if one.state in EvaluationState.moving()]
    evaluation = next((one for one in evaluations if one.current), None)
    # Another one than the current one that is under way.
    aside = next((one for one in under_way if not one.current), None)
    editable = Submission.objects.editable_by(user).filter(pk=pk).exists()
    # Why its team cannot publish it now; "" if it can, or for other users.
    hold = hold_words(row) if editable and not published else ""
    state = progress(evaluation) if evaluation else None
    rated = rated_of(row) if evaluation and row.is_rated else None
    steps: list[Step] = []
    if evaluation and rated:
        steps = rated_steps(row, evaluation, rated, held=bool(hold))
    elif evaluation and state:
        cause = in_readers_language(evaluation.cause)
        steps = steps_of(row, state, cause=cause, held=bool(hold))
    chunks = state.chunks if state else ()
    chunk_states = ["returned" if chunk.is_returned else chunk.state for chunk in chunks]
    # A name for the state that the live part shows while tests judge: it changes with every verdict
    # and every step. "" if people judge.
    version = ""
    if state and not row.is_rated:
        columns = [(e.pk, e.current, e.state, e.attempt, e.cause) for e in (evaluation, aside) if e]
        counts = (state.counts, state.runs_done, state.remarks, state.workers, state.holders)
        words = (get_language(), row.visibility, steps, chunk_states)
        version = name_of(repr((columns, counts, words)))
    is_on_page = live and version != "" and request.GET.get("seen") == version
    if under_way and is_on_page:
        return HttpResponse(status=204)
    standing = _standing(row) if published else None
    # Whether its board computes its rank now; the page tells its team when it has one.
    board = Board.objects.filter(revision=row.revision_id, setting=row.setting)
    is_new = editable and published and standing is None
    ranking = is_new and board.filter(made__lt=F("wanted")).exists()
    if ranking and is_on_page:
        return HttpResponse(status=204)
    moving = bool(under_way) or ranking
    context = {
        "submission": row,
        "evaluation": evaluation,
        "aside": aside,
        "benchmark": row.revision.benchmark,
        "setting": setting_words(row.setting),
        "crumbs": entrant_crumbs(row.entrant, own=editable),
        "editable": editable,
        "published": published,
        "hold": hold,
        "cancellable": rated is None and any(may_cancel(user, row, one) for one in under_way),
        "moving": bool(under_way),
        "with_head": live and not moving,
        "progress": state,
        "percent_judged": 100 * state.runs_done // state.runs if state and state.runs else 0,
        "steps": steps,
        "chunk_states": chunk_states,
        "holders": _holder_lines(state.holders, user) if state else [],
        "ranking": ranking,
        "standing": standing,
        # Empty while the board is being computed, and if the result is not settled.
        "rank": rank_text(standing.rank_low, standing.rank_high) if standing else "",
        "rated": rated,
        "means": mean_lines(rated, row, own=editable) if rated else [],
        **_results(request, row, evaluation, state),
        **_for_team(row, user, evaluation, editable=editable, held=bool(hold)),
        **({} if live else _citing(request, row, standing)),
    }
    context["publishable"] = rated.begun > 0 if rated else context["is_done"]
    parts = "submissions/submission.html", "submissions/_submission_live.html"
    return live_page(request, *parts, context, moving=moving, only_live=live, version=version)


def _standing(row: Submission) -> Standing | None:
    """Its row on the board, with the number of rows that have a rank (`ranked`)."""
    peers = Standing.objects.filter(board=OuterRef("board"), place__isnull=False).order_by()
    ranked = Subquery(peers.values("board").annotate(n=Count("pk")).values("n"))
    return row.standings.annotate(ranked=ranked).first()


def _holder_lines(holders: Sequence[str], user: Person) -> list[str]:
    """Of the slots that chunks wait for. Only staff may see numbers of others' submissions."""
    if not holders:
        return []
    if staff_may(user, "submissions.view_submission"):
        words = gettext("For staff: the slots are held by %(holders)s.")
        return [words % {"holders": ", ".join(holders)}]
    numbers = [holder.removeprefix("submission ") for holder in holders]
    keys = [int(number) for number in numbers if number.isdecimal()]
    rows = Submission.objects.editable_by(user).filter(pk__in=keys)
    own = list(rows.order_by("pk").values_list("pk", flat=True))
    lines = []
    if own:
        words = gettext("Your submissions that hold slots: %(numbers)s.")
        lines.append(words % {"numbers": ", ".join(map(str, own))})
    if others := len(holders) - len(own):
        words = gettext("Others that hold slots, of other teams or of the site: %(number)d.")
        lines.append(words % {"number": others})
    return lines


def _results(
    request: HttpRequest, row: Submission, evaluation: Evaluation | None, state: Progress | None
) -> dict[str, Any]:
    """Scores, verdicts and tasks; `group` is the group of verdicts whose tasks are shown."""
    benchmark, primary = row.revision.benchmark, row.revision.benchmark.metric_in(row.setting)
    is_done = evaluation is not None and evaluation.state == EvaluationState.DONE
    scores = list(evaluation.scores.order_by("pk")) if evaluation and is_done else []
    scores.sort(key=lambda score: score.metric != primary)
    overall = [score for score in scores if score.slice == "overall"]
    references = in_order(score for score in overall if score.of_references)
    by_slice: dict[str, list[Score]] = defaultdict(list)
    for score in scores:
        if score.slice != "overall" and score.metric == primary:
            by_slice[score.slice].append(score)
    slices = [
        (
            slice_name(name, [score.slice_value for score in parts]),
            [(slice_value(name, score.slice_value), score) for score in parts],
        )
        for name, parts in by_slice.items()
        # A slice with a single value repeats the overall score.
        if len(parts) > 1
    ]
    numbers = {group: state.counts.get(group.name, 0) for group in results.GROUPS} if state else {}
    rare = ("review", "infrastructure")
    group = request.GET.get("verdict", "")
    group = group if group in {*results.BY_NAME, results.MISSING} else ""
    page = results.tasks_page(row, evaluation, group, request.GET.get("page"))
    without = results.without_generations(row.revision.tasks.all(), row)
    provenance = Provenance.objects.filter(submission=row).first()
    return {
        "is_done": is_done,
        "over": evaluation is not None and evaluation.state in EvaluationState.scored(),
        "primary": primary,
        "overall": [score for score in overall if not score.of_references],
        # The scores of the benchmark's own programs, each with its name.
        "references": [(reference_words(score.metric), score) for score in references],
        "slices": slices,
        "beginning": beginning_words(row) if is_done else "",
        "counts": [(g, number) for g, number in numbers.items() if number or g.name not in rare],
        "group": group,
        "page": page,
        "rows": results.task_rows(page, row, evaluation),
        "missing": 0 if row.is_rated else without.count(),
        "by_turns": benchmark.family.transcripts_in(row.setting) is not None,
        "conversing": has_conversations(row.setting),
        "talks": talks_of(row, evaluation),
        "provenance": facts(provenance.said) if provenance else [],
    }


def _for_team(
    row: Submission, user: Person, evaluation: Evaluation | None, *, editable: bool, held: bool
) -> dict[str, Any]:
    """What its team may do and see: deletion, an answer to the staff, its generations that it can
    show to everyone, or shows, why transcripts were refused, and how the result compares."""
    published = row.visibility == Visibility.PUBLISHED
    was_public = published or row.was_published
    # A consent that is not in force now can be withdrawn too.
    agreed = None
    if editable and published:
        in_force = Consent.objects.visible_to(user).filter(pk=OuterRef("pk"))
        consents = Consent.objects.filter(submission=row).annotate(in_force=Exists(in_force))
        agreed = consents.first()
    can_show = editable and row.revision.benchmark.shows_output and not agreed
    copies = holding_copies(row) if held else Copy.objects.none()
    departing: list[tuple[Task, str]] = []
    if evaluation and evaluation.state == EvaluationState.REFUSED and editable:
        tasks = Task.objects.in_bulk([task for task, _ in evaluation.departures])
        departing = [(tasks[t], in_readers_language(words)) for t, words in evaluation.departures]
    valid = Receipt.objects.valid().filter(submission=row)
    return {
        # Its team gets the link; the page that it leads to may refuse.
        "deletable": not was_public and teams_of(user).filter(pk=row.entrant.team_id).exists(),
        # None if there is nothing to say to the staff.
        "staff_answer": copies.values_list("answer", flat=True).first(),
        "agreed": agreed,
        "shown": agreed is not None and agreed.in_force,
        "licence_form": LicenceForm() if can_show and may_show(row, user) else None,
        # The tasks whose transcript breaks the rules, each with a sentence.
        "departing": departing,
        "changes": changes(row, evaluation) if editable else None,
        "would_be": would_be(row, evaluation) if editable else None,
        # The digest of its valid receipt.
        "receipt": valid.values_list("digest", flat=True).first() if published else None,
    }


def _citing(request: HttpRequest, row: Submission, standing: Standing | None) -> dict[str, Any]:
    """The citation and the badge of a published result: others must be able to open the address."""
    if row.published is None or row.visibility != Visibility.PUBLISHED:
        return {}
    site, revision = f"{request.scheme}://{request.get_host()}", row.revision
    address, benchmark = site + row.get_absolute_url(), revision.benchmark
    words = {"entrant": row.entrant.shown_name, "title": benchmark.title}
    title = gettext("%(entrant)s on %(title)s") % words
    lines = (
        gettext("revision %(label)s") % {"label": revision.label},
        gettext("%(name)s setting") % {"name": setting_words(row.setting)},
        gettext("submission %(number)s") % {"number": row.pk},
    )
    citation = Citation(gettext("This result"), title, address, lines, row.published.year)
    query = {"entrant": row.entrant.slug, "setting": row.setting, "revision": revision.label}
    badge = f"{site}{reverse('badge', args=[benchmark.slug])}?{urlencode(query)}"
    return {"address": address, "citations": [citation], "badge": badge if standing else ""}
