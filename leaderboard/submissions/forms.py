"""What is asked of who submits: for which board, for which entrant, and the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django import forms
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import Entrant, User
from leaderboard.benchmarks.models import Benchmark
from leaderboard.submissions.queries import open_benchmarks, own_entrants

if TYPE_CHECKING:
    _EntrantField = forms.ModelChoiceField[Entrant]
else:
    _EntrantField = forms.ModelChoiceField


class EntrantField(_EntrantField):
    """Entrants by their slug, shown with their team."""

    def label_from_instance(self, obj: Entrant) -> str:
        return f"{obj.name} ({obj.team.name})"


class SubmitForm(forms.Form):
    """A prediction file, the board it is for (a benchmark in a setting) and the entrant.

    One field for the board, so that no setting can be chosen that the benchmark lacks.
    """

    board = forms.ChoiceField(label=_("Benchmark and setting"))
    entrant = EntrantField(
        label=_("Entrant"),
        queryset=Entrant.objects.none(),
        to_field_name="slug",
        empty_label=None,
        help_text=_("The model or system whose generations these are."),
    )
    file = forms.FileField(
        label=_("Prediction file"),
        allow_empty_file=True,  # the check says it better than the field could
        error_messages={"required": _("Choose the file with the generations.")},
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.benchmarks = {one.slug: one for one in open_benchmarks(user)}
        self._complete_initial()
        board = self._choose("board")
        board.choices = _boards(self.benchmarks.values())
        # The help beside the form follows the choice.
        board.widget.attrs |= {
            "hx-get": reverse("submit"),
            "hx-target": "#formats",
            "hx-swap": "outerHTML",
        }
        entrants = self.fields["entrant"]
        assert isinstance(entrants, forms.ModelChoiceField)
        entrants.queryset = own_entrants(user)

    def has_entrants(self) -> bool:
        """Whether there is anything to submit for."""
        field = self.fields["entrant"]
        assert isinstance(field, forms.ModelChoiceField)
        return bool(field.queryset is not None and field.queryset.exists())

    def _complete_initial(self) -> None:
        """A benchmark without a setting means its first."""
        slug, _slash, setting = str(self.initial.get("board", "")).partition("/")
        if slug in self.benchmarks and not setting:
            self.initial["board"] = f"{slug}/{self.benchmarks[slug].setting}"

    def _choose(self, name: str) -> forms.ChoiceField:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        return field

    def board_shown(self) -> tuple[Benchmark, str] | None:
        """The benchmark and setting that are chosen so far, else the first; None without any."""
        chosen = self["board"].value()
        values = [chosen] if isinstance(chosen, str) else []
        for value in [*values, *(f"{one.slug}/{one.setting}" for one in self.benchmarks.values())]:
            slug, _slash, setting = value.partition("/")
            benchmark = self.benchmarks.get(slug)
            if benchmark and setting in benchmark.family.settings:
                return benchmark, setting
        return None

    def target(self) -> tuple[Benchmark, str]:
        """Benchmark and setting of a valid form."""
        slug, _slash, setting = self.cleaned_data["board"].partition("/")
        return self.benchmarks[slug], setting


def board_initial(query: Mapping[str, str]) -> dict[str, str]:
    """What an address says about what is to be submitted: benchmark, setting, entrant."""
    found = {}
    if query.get("benchmark"):
        found["board"] = f"{query['benchmark']}/{query.get('setting', '')}"
    if query.get("entrant"):
        found["entrant"] = query["entrant"]
    return found


def _boards(benchmarks: Any) -> Sequence[tuple[str, Any]]:
    """A benchmark of one setting is one choice, others are a group."""
    choices: list[tuple[str, Any]] = []
    for benchmark in benchmarks:
        settings = benchmark.family.settings
        options = [(f"{benchmark.slug}/{name}", setting_words(name)) for name in settings]
        if len(options) == 1:
            choices.append((options[0][0], benchmark.title))
        else:
            choices.append(
                (benchmark.title, [(v, f"{benchmark.title}, {words}") for v, words in options])
            )
    return choices


def setting_words(setting: str) -> str:
    """ "two_round" as "two round", inside a sentence; translated where it is a usual one."""
    usual = {
        "base": gettext("base"),
        "single_round": gettext("single round"),
        "two_round": gettext("two round"),
        "multi_turn": gettext("multi turn"),
        "dynamic": gettext("dynamic"),
    }
    return usual.get(setting) or setting.replace("_", " ")
