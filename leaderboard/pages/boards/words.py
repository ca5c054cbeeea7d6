"""Words for a board's facts: languages, sizes, settings, slices."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import get_language, get_language_info, gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import Entrant
from leaderboard.boards.queries import Languages, ShownEntrant
from leaderboard.boards.rows import Row
from leaderboard.messages import in_readers_language, setting_named
from leaderboard.pages.shared.public import CATEGORIES, LEVELS, category_words, level_words

# Codes such as L-1 are not words.
_ENGLISH = re.compile("[A-Za-z]{3}")


def filled(sentence: str, **values: object) -> SafeString:
    """Fills the %(name)s placeholders of a translated sentence and escapes unsafe values."""
    braced = sentence.replace("{", "{{").replace("}", "}}").replace("%%", "%")
    return format_html(re.sub(r"%\((\w+)\)s", r"{\1}", braced), **values)


def setting_words(setting: str) -> str:
    """Formats two_round as "two round", for use in a sentence; translates known settings."""
    return in_readers_language(setting_named(setting))


def setting_title(setting: str) -> str:
    """Formats two_round as "Two round", for use as a title."""
    return capfirst(setting_words(setting))


def programming_language(code: str) -> str:
    return code.capitalize()


def natural_language(code: str) -> str:
    if code == "zh":  # Django knows Chinese only with a script (zh-hans).
        return gettext("Chinese")
    try:
        return str(get_language_info(code)["name_translated"])
    except KeyError:
        return code


def language_fact(languages: Sequence[Languages]) -> SafeString:
    """For example "Python, instructions in Russian"."""
    codes, spoken = (
        format_html_join(", ", "<b>{}</b>", ((name,) for name in dict.fromkeys(names)))
        for names in (
            [programming_language(row.language) for row in languages],
            [natural_language(row.natural_language) for row in languages if row.natural_language],
        )
    )
    if not spoken:
        return codes
    sentence = gettext("%(codes)s, instructions in %(spoken)s")
    return filled(sentence, codes=codes, spoken=spoken)


@dataclass(frozen=True, slots=True)
class SliceWords:
    plain: str | Promise
    heading: str | Promise
    title: str | Promise


_REPOSITORIES = SliceWords(_("repository"), _("By repository"), _("Repository"))
_SLICES: Mapping[str, SliceWords] = {
    "category": SliceWords(_("category"), _("By category"), _("Category")),
    "level": SliceWords(_("level"), _("By level"), _("Level")),
    "domain": SliceWords(_("domain"), _("By domain"), _("Domain")),
    "turn": SliceWords(pgettext_lazy("of a conversation", "turn"), _("By turn"), _("Turn")),
    "language": SliceWords(_("programming language"), _("By language"), _("Language")),
    "natural_language": SliceWords(
        _("language of the instructions"),
        _("By language of the instructions"),
        _("Instructions in"),
    ),
}


def slice_words(name: str, values: Iterable[str] = ()) -> SliceWords:
    """`values` are the slice's: domains may be repositories."""
    values = list(values)
    if name == "domain" and values and all("/" in value for value in values):
        return _REPOSITORIES
    return _SLICES.get(name) or SliceWords(name, name, name)


def slice_name(name: str, values: Iterable[str] = ()) -> str:
    return str(slice_words(name, values).heading)


_SKILLS: Mapping[str, str | Promise] = {
    "algorithms and data structures": _("algorithms and data structures"),
    "code completion": _("code completion"),
    "code perception": _("code perception"),
    "code quality": _("code quality"),
    "context-aware generation": _("context-aware generation"),
    "correctness": _("correctness"),
    "instruction following": _("instruction following"),
    "maintainability": _("maintainability"),
}


def skill_title(skill: str) -> str:
    return capfirst(str(_SKILLS.get(skill, skill)))


def untranslated(named: Iterable[tuple[str, str]]) -> bool:
    """Whether readers of another language see one of these kinds and names in English."""
    if (get_language() or "en").startswith("en"):
        return False
    translated = {"category": CATEGORIES, "level": LEVELS, "skill": _SKILLS}
    return any(
        kind in translated
        and _ENGLISH.search(name) is not None
        and {name, name.lower()}.isdisjoint(translated[kind])
        for kind, name in named
    )


def untranslated_in(slices: Mapping[str, Iterable[str]]) -> bool:
    return untranslated((name, value) for name, values in slices.items() for value in values)


def slice_value(name: str, value: str) -> str:
    """A slice's value for people: "en" is English, and "2" is turn 2."""
    if name == "turn":
        return gettext("turn %(number)s") % {"number": value}
    words = {
        "category": category_words,
        "level": level_words,
        "language": programming_language,
        "natural_language": natural_language,
    }
    return words[name](value) if name in words else value


def reference_words(name: str) -> str:
    """The name of a reference, also by its metric: "pass_oracle@1" is the reference solution."""
    name = name.removeprefix("pass_").removesuffix("@1")
    names = {
        "dry_run": gettext("untouched project"),
        "oracle": gettext("reference solution"),
        "control": gettext("reference solution with every test made to fail"),
        "stub_pass": gettext("stub"),
        "stub_empty_str": gettext("stub that returns an empty text"),
        "build": gettext("building the project"),
        "sources": gettext("sources of the project"),
        "execution_success": gettext("projects that build and run"),
        "num_samples": gettext("tasks counted"),
    }
    kind, _colon, part = name.partition(":")
    words = names.get(kind, kind.replace("_", " "))
    return f"{words}, {part}" if part else words


def size_text(billions: float | None) -> str:
    """For example "70B"; a dash if the size is unknown."""
    if billions is None:
        return "–"
    digits = 0 if billions >= 10 or billions == int(billions) else 1
    return gettext("%(number)sB") % {"number": number_format(billions, digits)}


def identity(entrant: Entrant | ShownEntrant) -> SafeString:
    """The organisation, with a mark if it is confirmed, which is no text: anyone may type that."""
    if not entrant.organisation_confirmed:
        return escape(entrant.organisation)
    mark = '{} <span class="confirmed" role="img" aria-label="{}" title="{}"></span>'
    words = gettext("confirmed by a member's address")
    return format_html(mark, entrant.organisation, words, words)


def entrant_line(entrant: ShownEntrant) -> SafeString:
    """For example "Northwood · open · 70B". Leaves out unknown facts, except the size."""
    facts = (identity(entrant), entrant.weights, entrant.parameters)
    return _entrant_line(*facts, get_language())


@lru_cache(maxsize=2_000)
def _entrant_line(
    identity: SafeString, weights: str, parameters: float | None, _language: str | None
) -> SafeString:
    label = str(Entrant.Weights(weights).label) if weights else ""
    return facts_line(identity, label, size_text(parameters))


def facts_line(*facts: str) -> SafeString:
    return format_html_join(" · ", "{}", ((fact,) for fact in facts if fact))


def samples_each(results: Sequence[Row], metric: str) -> int | None:
    """The number of generations per slot; None if it differs between entrants."""
    numbers = set()
    for result in results:
        score, count = result.overall(metric), result.generations_count
        if score is None or not score.n or count % score.n:
            return None
        numbers.add(count // score.n)
    return numbers.pop() if len(numbers) == 1 else None


def discrimination_words(value: float) -> str:
    """The bounds are those of R. L. Ebel, Measuring Educational Achievement (1965)."""
    if value >= 0.4:
        return gettext("strong entrants solve it far more often than weak ones")
    if value >= 0.2:
        return gettext("strong entrants solve it more often than weak ones")
    if value > -0.2:
        return gettext("hardly separates strong entrants from weak ones")
    return gettext("weak entrants solve it more often than strong ones")
