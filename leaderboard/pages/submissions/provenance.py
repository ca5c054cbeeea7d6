"""The provenance in a prediction file, as lines for display. No pages, no database.

Teams state it themselves: only known names are shown, with bounded values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import urlsplit

from django.utils.formats import date_format, number_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from evaluation.engine.records import Json

MOST_CHARACTERS = 120
_MOST_NAMES = 5
# Larger values are neither counts nor prices.
_MOST = 10**15
_SAMPLING = ("temperature", "top_p", "max_tokens", "repetition_penalty")

Said = Mapping[str, Json]


class Fact(NamedTuple):
    label: str
    value: str


def facts(said: Said) -> list[Fact]:
    found = (
        (_("Model"), _text(said.get("model"))),
        (_("Name at the endpoint"), _names(said)),
        (_("Endpoint"), _host(said.get("endpoint"))),
        (_("Sampling"), _sampling(_object(said, "sampling"))),
        (_("Answers per prompt"), _number(said.get("samples"))),
        (_("Prompts"), _prompts(said.get("prompts"))),
        (_("Earlier turns shown"), _history(said.get("history"))),
        (_("Answers"), " · ".join(_answers(said))),
        (_("Tokens"), _tokens(_object(said, "tokens"))),
        (_("Cost"), _cost(_object(said, "price"))),
        (_("Generated"), _times(said)),
        (_("Made by"), _text(said.get("made_by"))),
    )
    return [Fact(label, value) for label, value in found if value]


def _object(said: Said, name: str) -> Said:
    found = said.get(name)
    return found if isinstance(found, dict) else {}


def _text(value: Json) -> str:
    """One line without unprintable characters; "" if it is not a text."""
    if not isinstance(value, str):
        return ""
    # Limits the work to the part that may be shown.
    part = value[: 4 * MOST_CHARACTERS]
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in part).split())
    short = len(line) <= MOST_CHARACTERS and len(part) == len(value)
    return line if short else line[: MOST_CHARACTERS - 1] + "…"


def _number(value: Json) -> str:
    if type(value) not in (int, float) or not 0 <= value < _MOST:  # type: ignore[operator]  # type() is checked
        return ""
    plain = f"{value:.6f}".rstrip("0").rstrip(".")
    digits = len(plain.partition(".")[2])
    return number_format(plain, digits, force_grouping=True)


def _names(said: Said) -> str:
    """The model names that the endpoint reported, if they differ from the requested one."""
    found = said.get("answered_by")
    names = [_text(name) for name in found[:_MOST_NAMES]] if isinstance(found, list) else []
    shown = [name for name in names if name]
    return "" if shown == [_text(said.get("model"))] else ", ".join(shown)


def _host(value: Json) -> str:
    """Only the host of an address: the rest may be confidential."""
    try:
        parts = urlsplit(value if isinstance(value, str) else "")
        port = f":{parts.port}" if parts.port else ""
        host = parts.hostname or ""
    except ValueError:
        return ""
    return _text(f"[{host}]{port}" if ":" in host else host + port) if host else ""


def _sampling(said: Said) -> str:
    shown = ((name, _number(said.get(name))) for name in _SAMPLING)
    found = ", ".join(f"{name} {number}" for name, number in shown if number)
    return found or (_("the endpoint's default") if said else "")


def _prompts(value: Json) -> str:
    known = {
        "the tasks' own": _("the tasks' own"),
        "this site's": _("this site's wording"),
        "the revision's": _("the revision's wording"),
        "a file's": _("the team's own wording"),
    }
    text = _text(value)
    return known.get(text, text)


def _history(value: Json) -> str:
    known = {"last": _("only the last answer"), "full": _("all answers")}
    text = _text(value)
    return known.get(text, text)


def _answers(said: Said) -> Iterator[str]:
    if shown := _number(said.get("answers")):
        yield shown
    for name, words in (("unanswered", _("%s missing")), ("cut_off", _("%s cut off"))):
        number = _number(said.get(name))
        if number and number != "0":
            yield words % number


def _tokens(said: Said) -> str:
    sent, answered = _number(said.get("sent")), _number(said.get("answered"))
    if not (sent and answered):
        return ""
    text = _("%(sent)s input, %(answered)s output") % {"sent": sent, "answered": answered}
    number = said.get("answers_uncounted")
    if type(number) is not int or not 0 < number < _MOST:
        return text
    rest = ngettext("%s answer without a count", "%s answers without a count", number) % _number(
        number
    )
    return f"{text} ({rest})"


def _cost(said: Said) -> str:
    total = _number(said.get("total"))
    sent, answered = _number(said.get("sent")), _number(said.get("answered"))
    if not (total and sent and answered):
        return total
    return _(
        "%(total)s, at %(sent)s per million input tokens and %(answered)s per million output tokens"
    ) % {
        "total": total,
        "sent": sent,
        "answered": answered,
    }


def _times(said: Said) -> str:
    found = [_moment(said.get(name)) for name in ("began", "ended")]
    return " – ".join(dict.fromkeys(text for text in found if text))


def _moment(value: Json) -> str:
    try:
        moment = datetime.fromisoformat(value if isinstance(value, str) else "")
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return date_format(localtime(aware), "Y-m-d H:i")
    except (ValueError, OverflowError):
        return ""
