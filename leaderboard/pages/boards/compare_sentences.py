"""The answer to "are these different?" in words. Names are escaped; sentences may hold <b>."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from evaluation.engine.metrics.paired import LEVEL
from leaderboard.pages.boards.sentences import Answer, p_number, units_text
from leaderboard.pages.boards.words import filled
from leaderboard.pages.shared.drawing import unit_of
from leaderboard.pages.shared.numbers import EXACT
from leaderboard.pages.shared.score_words import measure


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entrants, of which `better` has the better score: by `value` with its interval, shares of
    1, or marks if `top` is the best mark of a rating scale. `p` is corrected for several pairs
    (None while it is being computed), `own_p` is not."""

    better: str
    worse: str
    value: float
    low: float | None
    high: float | None
    own_p: float
    p: float | None
    top: int | None = None
    # Number of clusters that would show this difference with 80 % power.
    needed: int | None = None
    # The chance that the better one is truly better; "" if the board shows no chances.
    chance: str = ""
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
    def own_p_text(self) -> str:
        return p_text(self.own_p)

    @property
    def p_text(self) -> str:
        return "" if self.p is None else p_text(self.p)


def _points(difference: float, top: int | None) -> str:
    """Percentage points or marks, with a typographic minus."""
    return measure(difference, unit_of(top)).replace("-", "−")


def p_text(p: float) -> str:
    return f"< {p_number(0.001, up=True)}" if p < 0.001 else p_number(p)


def answer(
    pairs: Sequence[Pair], *, part: str, entrants: int, tasks: int, clusters: int, cluster: str
) -> Answer:
    """`part` names the slice, "" for the whole board, whose `entrants` are those of the board or
    those chosen."""
    sentence = _pair_sentence(pairs[0]) if len(pairs) == 1 else _several(pairs)
    if part:
        sentence = format_html("{} {}", gettext("In %(part)s:") % {"part": part}, sentence)
    units = units_text({"tasks": tasks, "clusters": clusters, "cluster": cluster})
    return Answer(sentence, _line(pairs, part=part, entrants=entrants, units=units))


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
    return filled(
        text,
        better=_bold(pair.better),
        worse=_bold(pair.worse),
        points=format_html("<b>{}</b>", _with_unit(pair)),
        ends=pair.ends,
    )


def _with_unit(pair: Pair) -> str:
    if pair.top is not None:
        return gettext("%(number)s of a mark") % {"number": pair.points}
    return gettext("%(number)s percentage points") % {"number": pair.points}


def _several(pairs: Sequence[Pair]) -> SafeString:
    apart = [pair for pair in pairs if pair.differ]
    if any(pair.differ is None for pair in pairs):
        return format_html("{}", gettext("Which of these differ is being computed."))
    if not apart:
        return format_html(
            "{}", gettext("No difference between these can be distinguished from chance.")
        )
    if len(apart) == len(pairs):
        return format_html(
            "{}", gettext("Yes: all of these differ by more than chance would explain.")
        )
    names = [
        filled(
            gettext("%(better)s is better than %(worse)s"),
            better=_bold(pair.better),
            worse=_bold(pair.worse),
        )
        for pair in apart
    ]
    listed = format_html("{}", names[0])
    for name in names[1:]:
        listed = format_html("{}; {}", listed, name)
    rest = gettext("The other differences cannot be distinguished from chance.")
    return format_html("{}. {}", listed, rest)


def _line(pairs: Sequence[Pair], *, part: str, entrants: int, units: str) -> str:
    known = [pair.p for pair in pairs if pair.p is not None]
    if not known:
        return ""
    line = (_adjusted_chosen(entrants) if part else _adjusted_board(entrants)) % {
        "units": units,
        "number": entrants,
    }
    if len(pairs) > 1:
        return line
    found = gettext("%(p)s; without the correction %(own)s.")
    return f"{line} {found % {'p': _is(known[0]), 'own': _is(pairs[0].own_p)}}"


def _adjusted_board(entrants: int) -> str:
    return ngettext(
        "Paired tests (%(units)s), corrected for all pairs of the board's %(number)s entrant.",
        "Paired tests (%(units)s), corrected for all pairs of the board's %(number)s entrants.",
        entrants,
    )


def _adjusted_chosen(entrants: int) -> str:
    return ngettext(
        "Paired tests (%(units)s), corrected for the pairs of the %(number)s chosen entrant. The "
        "board's own tests are of all its tasks.",
        "Paired tests (%(units)s), corrected for the pairs of the %(number)s chosen entrants. The "
        "board's own tests are of all its tasks.",
        entrants,
    )


def _is(p: float) -> str:
    return f"p {p_text(p)}" if p < 0.001 else f"p = {p_text(p)}"


def _bold(text: str) -> SafeString:
    return format_html("<b>{}</b>", text)
