"""The answer to "are these different?" in words. Names are escaped; sentences may hold <b>."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import conditional_escape as escaped
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from evaluation.engine.metrics.paired import LEVEL
from leaderboard.pages.boards.sentences import (
    Answer,
    bold,
    units_text,
    untested_text,
)
from leaderboard.pages.boards.words import filled
from leaderboard.pages.shared.drawing import unit_of
from leaderboard.pages.shared.numbers import EXACT
from leaderboard.pages.shared.score_words import measure, p_equals, p_text


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entrants, of which `better` has the better score: by `value` with its interval, shares of
    1, or marks if `top` is the best mark of a rating scale. `p` is corrected for several pairs
    (None while it is being computed). Both p are None if nothing is tested."""

    better: str
    worse: str
    value: float
    low: float | None
    high: float | None
    uncorrected_p: float | None
    p: float | None
    top: int | None = None
    # A pair has no rank: `drawing.interval_axis` must not treat its interval as the leader's.
    reference: bool = True

    @property
    def differ(self) -> bool | None:
        return None if self.p is None else self.p <= LEVEL

    @property
    def equal(self) -> bool:
        return abs(self.value) < 10.0**-EXACT

    @property
    def points(self) -> str:
        return _points(self.value, self.top)

    @property
    def ends(self) -> str:
        """For example "−1.2 to 13.4"; "" without an interval."""
        if self.low is None or self.high is None:
            return ""
        ends = {"low": _points(self.low, self.top), "high": _points(self.high, self.top)}
        return gettext("%(low)s to %(high)s") % ends

    @property
    def uncorrected_p_text(self) -> str:
        return "–" if self.uncorrected_p is None else p_text(self.uncorrected_p)

    @property
    def p_text(self) -> str:
        return "" if self.p is None else p_text(self.p)


def _points(difference: float, top: int | None) -> str:
    """Percentage points or marks, with a typographic minus."""
    return measure(difference, unit_of(top)).replace("-", "−")


def comparison_answer(
    pairs: Sequence[Pair],
    *,
    part: str,
    parts: int,
    entrants: int,
    tasks: int,
    clusters: int,
    cluster: str,
) -> Answer:
    """`part` names the slice, one of `parts` by the same property, "" for the whole board, whose
    `entrants` are those of the board or those chosen."""
    facts = {"tasks": tasks, "clusters": clusters, "cluster": cluster}
    untested = untested_text(facts)
    if untested:
        return Answer(escaped(untested))
    sentence = _pair_sentence(pairs[0]) if len(pairs) == 1 else _several(pairs)
    if part:
        sentence = format_html("{} {}", gettext("In %(part)s:") % {"part": part}, sentence)
    first_p = next((pair.p for pair in pairs if pair.p is not None), None)
    if first_p is None:
        return Answer(sentence)
    text = ngettext(
        "Paired tests (%(units)s), corrected for all pairs of the board's %(number)s entrant.",
        "Paired tests (%(units)s), corrected for all pairs of the board's %(number)s entrants.",
        entrants,
    )
    if part:
        text = ngettext(
            "Paired tests (%(units)s), corrected for the pairs of the %(number)s chosen entrant "
            "and for the number of such parts (%(parts)s). The board's own tests are of all its "
            "tasks.",
            "Paired tests (%(units)s), corrected for the pairs of the %(number)s chosen entrants "
            "and for the number of such parts (%(parts)s). The board's own tests are of all its "
            "tasks.",
            entrants,
        )
    line = text % {"units": units_text(facts), "number": entrants, "parts": parts}
    if len(pairs) == 1 and pairs[0].uncorrected_p is not None:
        uncorrected = gettext("%(p)s; without the correction %(own)s.")
        both = {"p": p_equals(first_p), "own": p_equals(pairs[0].uncorrected_p)}
        line = f"{line} {uncorrected % both}"
    return Answer(sentence, line)


def _pair_sentence(pair: Pair) -> SafeString:
    if pair.differ is None:
        text = gettext("Whether %(better)s and %(worse)s differ is being computed.")
    elif pair.equal:
        text = gettext("%(better)s and %(worse)s have equal scores.")
    elif pair.differ and pair.ends:
        text = gettext(
            "Yes: %(better)s is better than %(worse)s by %(points)s (95 %% interval %(ends)s), "
            "which is more than chance would explain."
        )
    elif pair.differ:
        text = gettext(
            "Yes: %(better)s is better than %(worse)s by %(points)s, which is more than chance "
            "would explain."
        )
    elif pair.ends:
        text = gettext(
            "%(better)s scores better than %(worse)s by %(points)s (95 %% interval %(ends)s), "
            "which cannot be distinguished from chance."
        )
    else:
        text = gettext(
            "%(better)s scores better than %(worse)s by %(points)s, which cannot be distinguished "
            "from chance."
        )
    unit = gettext("%(number)s percentage points")
    if pair.top is not None:
        unit = gettext("%(number)s of a mark")
    points = bold(unit % {"number": pair.points})
    names = {"better": bold(pair.better), "worse": bold(pair.worse)}
    return filled(text, points=points, ends=pair.ends, **names)


def _several(pairs: Sequence[Pair]) -> SafeString:
    apart = [pair for pair in pairs if pair.differ]
    if any(pair.differ is None for pair in pairs):
        return escaped(gettext("Which of these differ is being computed."))
    if not apart:
        return escaped(gettext("No difference between these can be distinguished from chance."))
    if len(apart) == len(pairs):
        return escaped(gettext("Yes: all of these differ by more than chance would explain."))
    text = gettext("%(better)s is better than %(worse)s")
    names = (filled(text, better=bold(pair.better), worse=bold(pair.worse)) for pair in apart)
    rest = gettext("The other differences cannot be distinguished from chance.")
    return format_html("{}. {}", format_html_join("; ", "{}", ((name,) for name in names)), rest)
