"""A board's answer in words: the leader, the score, and whether the lead is beyond chance. Names
are escaped; sentences may hold <b>."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from django.utils.formats import number_format
from django.utils.html import conditional_escape as escaped
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext, pgettext

from evaluation.engine.metrics.intervals import FEWEST, Interval
from evaluation.engine.metrics.paired import LEVEL
from leaderboard.boards.comparing import board_p, lead_p
from leaderboard.boards.rows import Row
from leaderboard.boards.scores import ShownScore
from leaderboard.messages import in_readers_language
from leaderboard.pages.boards.words import filled
from leaderboard.pages.shared.panel_words import metric_words, scale_words
from leaderboard.pages.shared.score_words import (
    count,
    p_equals,
    p_number,
    percent,
    score_ends,
    score_told,
)
from leaderboard.scores.models import Board

# A longer list of p-values is shown as a range.
_LISTED = 3


@dataclass(frozen=True, slots=True)
class Answer:
    sentence: SafeString
    line: str = ""


# An entrant's name and score.
_Ranked: TypeAlias = tuple[str, ShownScore]


def board_answer(
    board: Board | None,
    results: Sequence[Row],
    top: int | None = None,
    *,
    shown: Sequence[Row] | None = None,
) -> Answer:
    """For the rows that filters leave (`shown`), or for the whole board if they leave none or are
    not active. The tests are those of the whole board. `top` is the best mark if people judge."""
    if shown is None or not results:
        return _of_rows(board, results, top)
    if not shown:
        words = ngettext("Of all %(number)s entrant:", "Of all %(number)s entrants:", len(results))
        none = gettext("No entrant matches the filters.")
        whole = _of_rows(board, results, top)
        start = format_html("{} {}", none, filled(words, number=len(results)))
    else:
        words = ngettext(
            "Of the %(number)s entrant shown:", "Of the %(number)s entrants shown:", len(shown)
        )
        whole = _of_rows(board, shown, top, filtered=True)
        start = filled(words, number=len(shown))
    return replace(whole, sentence=format_html("{} {}", start, whole.sentence))


def part_answer(
    score: ShownScore | None, name: str, part: str, metric: str, tested: str = ""
) -> Answer:
    """For a slice: its best score, that of the entrant `name`. `tested`: what tests say of it."""
    if score is None or score.value is None:
        nothing = gettext("No entrant has a settled score in %(part)s.") % {"part": part}
        return Answer(escaped(nothing))
    line = gettext("Ranks and ties are of the whole board. To test a difference here, compare.")
    if score.top is not None or tested:
        line = f"{tested} {gettext('Ranks and ties are of the whole board.')}".lstrip()
    sentence = _highest(name, score, metric)
    return Answer(format_html("{} {}", gettext("In %(part)s:") % {"part": part}, sentence), line)


def _of_rows(
    board: Board | None, results: Sequence[Row], top: int | None, *, filtered: bool = False
) -> Answer:
    """`filtered`: the results are some of the board's, which need not be neighbours."""
    metric = board.metric if board else ""
    rows = [row for row in results if row.place is not None]
    scored = ((row.entrant.shown_name, row.overall(metric)) for row in rows)
    ranked = [(name, score) for name, score in scored if score and score.value is not None]
    if board is None or not ranked:
        text = gettext("No result is published here yet.")
        if results and top is None:
            text = ngettext(
                "No score is final yet: %(number)s result is waiting for its last verdicts.",
                "No score is final yet: %(number)s results are waiting for their last verdicts.",
                len(results),
            )
        elif results:
            text = ngettext(
                "No mean is published yet: %(number)s result is provisional.",
                "No mean is published yet: %(number)s results are provisional.",
                len(results),
            )
        return Answer(escaped(text % {"number": len(results)}))
    # Why a row has no interval, if there is one.
    notes = (score.note for _name, score in ranked if score.low is None)
    note = in_readers_language(next(filter(None, notes), ""))
    sentence = _score_sentence(ranked, metric)
    if len(ranked) == 1:
        if filtered:
            return Answer(sentence, note)
        alone = gettext("There is no other result to compare it with yet.")
        return Answer(format_html("{} {}", sentence, alone), note)
    untested = untested_text(board.facts)
    if untested:
        return Answer(sentence, f"{untested} {note}".strip())
    # The first row's adjusted p against each following row; None while they are computed.
    if not filtered:
        p_values = lead_p(board, rows)
    else:
        values = [p for other in rows[1:] if (p := board_p(board, rows[0], other)) is not None]
        p_values = values if len(values) == len(rows) - 1 else None
    if p_values is None:
        waiting = gettext("Whether the order can be distinguished from chance is being computed.")
        return Answer(format_html("{} {}", sentence, waiting), note)
    shown_p = [p for p in p_values if p > LEVEL] or [max(p_values)]
    line = gettext("Paired tests (%(units)s): %(p)s, corrected for the number of pairs.") % {
        "units": units_text(board.facts),
        "p": _p_text(shown_p),
    }
    return Answer(format_html("{} {}", sentence, _lead(ranked, p_values)), f"{line} {note}".strip())


def _score_sentence(ranked: Sequence[_Ranked], metric: str) -> SafeString:
    score = ranked[0][1]
    level = [name for name, other in ranked if other.value == score.value]
    tries = re.fullmatch(r"pass@(\d+)", metric)
    if score.top is not None or tries is None:
        return _highest(*ranked[0], metric, len(level))
    by_task = score.n == score.tasks
    if tries[1] == "1":
        solved = gettext("%(value)s of the tasks' requirements at the first try")
        if by_task:
            solved = gettext("%(value)s of tasks at the first try")
    elif by_task:
        solved = gettext("%(value)s of tasks within %(tries)s tries")
    else:
        solved = gettext("%(value)s of the tasks' requirements within %(tries)s tries")
    if len(level) > 2:
        sentence = gettext("%(number)s entrants have equal scores: each solves %(score)s.")
    elif len(level) == 2:
        sentence = gettext("%(first)s and %(second)s have equal scores: each solves %(score)s.")
    elif score.low is not None and score.high is not None:
        sentence = gettext("%(name)s solves %(score)s (95 %% interval %(low)s–%(high)s).")
    else:
        sentence = gettext("%(name)s solves %(score)s.")
    return filled(
        sentence,
        name=bold(level[0]),
        first=bold(level[0]),
        second=bold(level[-1]),
        number=len(level),
        score=filled(solved, value=bold(f"{percent(score.value)} %"), tries=tries[1]),
        low=percent(score.low),
        high=percent(score.high),
    )


def _highest(name: str, score: ShownScore, metric: str, level: int = 1) -> SafeString:
    """Names the entrant with the highest score or mean mark; `level` entrants share it."""
    if score.top is not None:
        sentence = gettext(
            "%(name)s has the highest mean mark for %(scale)s: %(mark)s (95 %% interval %(ends)s)."
        )
        if level > 1:
            sentence = gettext(
                "%(number)s entrants share the highest mean mark for %(scale)s, %(mark)s."
            )
        elif score.low is None:
            sentence = gettext("%(name)s has the highest mean mark for %(scale)s: %(mark)s.")
    elif level > 1:
        sentence = gettext("%(number)s entrants share the highest %(metric)s, %(score)s.")
    elif score.low is None:
        sentence = gettext("%(name)s has the highest %(metric)s: %(score)s.")
    else:
        sentence = gettext(
            "%(name)s has the highest %(metric)s: %(score)s (95 %% interval %(low)s–%(high)s)."
        )
    return filled(
        sentence,
        name=bold(name),
        number=level,
        scale=scale_words(metric),
        mark=bold(score_told(score)),
        ends=score_ends(score),
        metric=metric_words(metric),
        score=bold(f"{percent(score.value)} %"),
        low=percent(score.low),
        high=percent(score.high),
    )


def _lead(ranked: Sequence[_Ranked], p_values: Sequence[float]) -> str:
    others = len(p_values)
    tied = [index for index, p in enumerate(p_values) if p > LEVEL]
    numbers = {"number": len(tied), "all": others, "words": number_word(len(tied))}
    if not tied:
        return gettext("Its lead over every other entrant is more than chance would explain.")
    if ranked[1][1].value == ranked[0][1].value:
        if len(tied) == others:
            return gettext("No difference at the top can be distinguished from chance.")
        better = others - len(tied)
        text = ngettext(
            "The first of them is better than %(number)s other by more than chance would explain.",
            "The first of them is better than %(number)s others by more than chance would explain.",
            better,
        )
        return text % {"number": better}
    if len(tied) == others:
        text = ngettext(
            "Its lead over the other entrant cannot be distinguished from chance.",
            "Its lead over all %(number)s others cannot be distinguished from chance.",
            len(tied),
        )
    elif tied == [0]:
        # A separate sentence, because Russian also uses the singular below for 21.
        text = gettext("Its lead over the next one cannot be distinguished from chance.")
    elif tied[-1] == len(tied) - 1:
        text = ngettext(
            "Its lead over the next %(words)s cannot be distinguished from chance.",
            "Its lead over the next %(words)s cannot be distinguished from chance.",
            len(tied),
        )
    else:
        text = gettext(
            "Its lead over %(number)s of the %(all)s others cannot be distinguished from chance."
        )
    return text % numbers


def tier_sentence(outside: int, shared: int, reviewed: int) -> str:
    """How many passes are proved, and how many others staff have looked at; "" without a pass."""
    if not outside + shared:
        return ""
    sentence = gettext(
        "Passes decided out of reach of the candidates' code: %(outside)s; in a process or under a "
        "user that this code shares, checked but not proved: %(shared)s."
    )
    if reviewed:
        sentence = gettext(
            "Passes decided out of reach of the candidates' code: %(outside)s; in a process or "
            "under a user that this code shares, checked but not proved: %(shared)s, of which a "
            "person has looked at %(reviewed)s."
        )
    numbers = {"outside": outside, "shared": shared, "reviewed": reviewed}
    return sentence % {name: count(n) for name, n in numbers.items()}


def recheck_sentence(rate: Interval) -> str:
    """How many verdicts given twice differ, without an interval for few tasks; "" without one."""
    if rate.value is None:
        return ""
    sentence = gettext(
        "Of %(number)s verdicts that were given a second time, %(differing)s differ."
    )
    if rate.low is not None:
        sentence = gettext(
            "Of %(number)s verdicts that were given a second time, %(differing)s differ: "
            "%(share)s %% (95 %% interval %(low)s–%(high)s)."
        )
    ends = {"share": rate.value, "low": rate.low, "high": rate.high}
    counts = {"number": count(rate.n), "differing": count(round(rate.value * rate.n))}
    return sentence % (counts | {name: percent(value, 2) for name, value in ends.items()})


def number_word(number: int) -> str:
    """The numbers 2 to 5 as words, in languages where that reads better; others as digits."""
    words = {
        2: pgettext("count in a sentence", "two"),
        3: pgettext("count in a sentence", "three"),
        4: pgettext("count in a sentence", "four"),
        5: pgettext("count in a sentence", "five"),
    }
    return words.get(number, str(number))


def units_text(facts: Mapping[str, Any]) -> str:
    """For example "802 tasks in 95 repositories"."""
    tasks, clusters = facts.get("tasks", 0), facts.get("clusters", 0)
    shown = ngettext("%(number)s task", "%(number)s tasks", tasks)
    parts = [shown % {"number": number_format(tasks, 0)}]
    groups = {
        "repository": ngettext("in %(number)s repository", "in %(number)s repositories", clusters),
        "project": ngettext("in %(number)s project", "in %(number)s projects", clusters),
    }
    if facts.get("cluster") in groups:
        parts.append(groups[facts["cluster"]] % {"number": number_format(clusters, 0)})
    return " ".join(parts)


def untested_text(facts: Mapping[str, Any]) -> str:
    """Why the board's differences are not tested; "" if they are."""
    clusters = facts.get("clusters", FEWEST)
    if clusters >= FEWEST:
        return ""
    if clusters > 1:
        return gettext("Too few to test differences: %(units)s.") % {"units": units_text(facts)}
    single = {
        "repository": gettext("Differences are not tested: one repository."),
        "project": gettext("Differences are not tested: one project."),
    }
    return single.get(facts.get("cluster", ""), gettext("Differences are not tested: one task."))


def _p_text(p_values: Sequence[float]) -> str:
    """For example "p = 0.21 and 0.12": the largest for a clear lead, else the tied rows'."""
    if len(p_values) > _LISTED:
        low, high = p_number(min(p_values)), p_number(max(p_values))
        if low == high:
            return f"p = {high}"
        return gettext("p from %(low)s to %(high)s") % {"low": low, "high": high}
    if len(p_values) == 1 and p_values[0] <= LEVEL:
        p = p_values[0]
        return p_equals(p) if p < 0.001 else f"p ≤ {p_number(p, up=True)}"
    *some, last = map(p_number, p_values)
    if not some:
        return f"p = {last}"
    return gettext("p = %(some)s and %(last)s") % {"some": ", ".join(some), "last": last}


def bold(text: str) -> SafeString:
    return format_html("<b>{}</b>", text)
