"""The provenance in a prediction file, as lines for display. No pages, no database.

Teams state it themselves: only known names are shown, with bounded values.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
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


def facts(said: Said) -> list[tuple[str, str]]:
    """Labels and values."""
    model, prompts, history = (_text(said.get(name)) for name in ("model", "prompts", "history"))
    prompts_words = {
        "the tasks' own": _("the tasks' own"),
        "this site's": _("this site's wording"),
        "the revision's": _("the revision's wording"),
        "a file's": _("the team's own wording"),
    }
    history_words = {"last": _("only the last answer"), "full": _("all answers")}
    answered_by = said.get("answered_by")
    names = answered_by[:_MOST_NAMES] if isinstance(answered_by, list) else []
    shown_names = [text for name in names if (text := _text(name))]
    sampling = _object(said, "sampling")
    numbers = ((name, _number(sampling.get(name))) for name in _SAMPLING)
    sampled = ", ".join(f"{name} {number}" for name, number in numbers if number)
    counts = {name: _number(said.get(name)) for name in ("answers", "unanswered", "cut_off")}
    answers = (
        counts["answers"],
        _("%s missing") % counts["unanswered"] if counts["unanswered"] not in ("", "0") else "",
        _("%s cut off") % counts["cut_off"] if counts["cut_off"] not in ("", "0") else "",
    )
    times = (_moment(said.get(name)) for name in ("began", "ended"))
    values = (
        (_("Model"), model),
        # The names that the endpoint reported, if they differ from the requested one.
        (_("Name at the endpoint"), "" if shown_names == [model] else ", ".join(shown_names)),
        (_("Endpoint"), _host(said.get("endpoint"))),
        (_("Sampling"), sampled or (_("the endpoint's default") if sampling else "")),
        (_("Answers per prompt"), _number(said.get("samples"))),
        (_("Prompts"), prompts_words.get(prompts, prompts)),
        (_("Earlier turns shown"), history_words.get(history, history)),
        (_("Answers"), " · ".join(filter(None, answers))),
        (_("Tokens"), _tokens(_object(said, "tokens"))),
        (_("Cost"), _cost(_object(said, "price"))),
        (_("Generated"), " – ".join(dict.fromkeys(filter(None, times)))),
        (_("Made by"), _text(said.get("made_by"))),
    )
    return [(label, value) for label, value in values if value]


def _object(said: Said, name: str) -> Said:
    value = said.get(name)
    return value if isinstance(value, dict) else {}


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


def _host(value: Json) -> str:
    """Only the host of an address: the rest may be confidential."""
    try:
        parts = urlsplit(value if isinstance(value, str) else "")
        port = f":{parts.port}" if parts.port else ""
        host = parts.hostname or ""
    except ValueError:
        return ""
    return _text(f"[{host}]{port}" if ":" in host else host + port) if host else ""


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
    ) % {"total": total, "sent": sent, "answered": answered}


def _moment(value: Json) -> str:
    try:
        moment = datetime.fromisoformat(value if isinstance(value, str) else "")
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return date_format(localtime(aware), "Y-m-d H:i T")
    except (ValueError, OverflowError):
        return ""
