"""The forms for submitting: board, entrant and file."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from django import forms
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from evaluation.engine.errors import UploadError
from leaderboard.accounts.models import Entrant, User
from leaderboard.benchmarks.models import Benchmark
from leaderboard.messages import in_readers_language
from leaderboard.pages.boards.words import setting_words
from leaderboard.pages.submissions.queries import own_entrants, team_declarations
from leaderboard.submissions.intake import open_benchmarks
from leaderboard.submissions.models import Declaration, Licence


def row_choice(
    rows: QuerySet[Any], words: Callable[[Any], str], **options: Any
) -> "forms.ModelChoiceField[Any]":
    """A field with a row's `words` as its options."""
    field = forms.ModelChoiceField(rows, **options)
    field.label_from_instance = words  # type: ignore[assignment]  # else a class for each
    return field


def declaration_words(declaration: Declaration) -> str:
    words = _("%(entrant)s on %(title)s: %(model)s, %(samples)s samples, declared %(date)s")
    return words % {
        "entrant": declaration.entrant,
        "title": f"{declaration.revision.benchmark.title}, {setting_words(declaration.setting)}",
        "model": declaration.model,
        "samples": declaration.samples,
        "date": declaration.created.date().isoformat(),
    }


class LicenceForm(forms.Form):
    """The licence under which everyone may read the generations; "" keeps them private."""

    licence = forms.ChoiceField(
        label=_("Generations, with what they printed"),
        choices=[("", _("only our team reads them")), *Licence.choices],
        required=False,
    )


class BoardForm(forms.Form):
    """Chooses a board, as one field with only existing settings, and an entrant.

    The help text at `address`, with the id `beside`, follows the choice, if there is one.
    """

    address: ClassVar[str] = ""
    beside: ClassVar[str] = ""

    board = forms.ChoiceField(label=_("Benchmark and setting"))
    entrant = row_choice(
        Entrant.objects.none(),
        lambda entrant: f"{entrant.name} ({entrant.team.name}, {entrant.team.slug})",
        label=_("Entrant"),
        to_field_name="slug",
        empty_label=None,
        help_text=_("The model or system that wrote these generations."),
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.benchmarks = {row.slug: row for row in open_benchmarks(user) if self.settings_of(row)}
        slug, _slash, setting = str(self.initial.get("board", "")).partition("/")
        if slug in self.benchmarks and not setting:
            self.initial["board"] = self._first_of(self.benchmarks[slug])
        board: Any = self.fields["board"]
        choices: list[tuple[str, Any]] = []
        for benchmark in self.benchmarks.values():
            title = benchmark.title
            named = {f"{benchmark.slug}/{name}": name for name in self.settings_of(benchmark)}
            if len(named) == 1:
                choices += [(value, title) for value in named]
            else:
                options = [(value, f"{title}, {setting_words(n)}") for value, n in named.items()]
                choices.append((title, options))
        board.choices = choices
        if self.address:
            board.widget.attrs |= {
                "hx-get": reverse(self.address),
                "hx-target": f"#{self.beside}",
                "hx-swap": "outerHTML",
            }
        entrants: Any = self.fields["entrant"]
        entrants.queryset = own_entrants(user)

    def settings_of(self, benchmark: Benchmark) -> Sequence[str]:
        return benchmark.family.settings

    def has_entrants(self) -> bool:
        entrants: Any = self.fields["entrant"]
        return bool(entrants.queryset.exists())

    def _first_of(self, benchmark: Benchmark) -> str:
        settings = self.settings_of(benchmark)
        setting = benchmark.setting if benchmark.setting in settings else settings[0]
        return f"{benchmark.slug}/{setting}"

    def board_shown(self) -> tuple[Benchmark, str] | None:
        """The chosen benchmark and setting, else the first; None if there are none."""
        chosen = self["board"].value()
        values = [chosen] if isinstance(chosen, str) else []
        for value in [*values, *map(self._first_of, self.benchmarks.values())]:
            slug, _slash, setting = value.partition("/")
            benchmark = self.benchmarks.get(slug)
            if benchmark and setting in self.settings_of(benchmark):
                return benchmark, setting
        return None

    def target(self) -> tuple[Benchmark, str]:
        slug, _slash, setting = self.cleaned_data["board"].partition("/")
        return self.benchmarks[slug], setting

    def refuse(self, field: str, error: UploadError) -> None:
        """Adds the problems to the field, in the reader's language."""
        self.add_error(field, [in_readers_language(problem.sentence) for problem in error.problems])


class SubmitForm(BoardForm):
    address, beside = "submit", "formats"

    file = forms.FileField(
        label=_("Prediction file"),
        allow_empty_file=True,  # the check's message is better than the field's
        error_messages={"required": _("Choose the file with the generations.")},
    )

    declaration = row_choice(
        Declaration.objects.none(),
        declaration_words,
        label=_("Declared run"),
        required=False,
        empty_label=_("the oldest one that fits"),
        help_text=_("Only for benchmarks whose runs are declared first."),
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, user=user, **kwargs)
        field: Any = self.fields["declaration"]
        revisions = [row.current_id for row in self.benchmarks.values() if row.declared]
        field.queryset = rows = team_declarations(user).open().filter(revision__in=revisions)
        if not rows.exists():
            del self.fields["declaration"]


class DeclareForm(BoardForm):
    """Offers only benchmarks that need declarations."""

    model = forms.CharField(
        label=_("Model"),
        max_length=200,
        help_text=_("The model and its version, such as larch-coder-32b, 2026-05."),
    )
    samples = forms.IntegerField(
        label=_("Samples of each task"), min_value=1, max_value=1000, initial=1
    )

    def settings_of(self, benchmark: Benchmark) -> Sequence[str]:
        return benchmark.family.settings if benchmark.declared else ()


def board_initial(query: Mapping[str, str]) -> dict[str, str]:
    """The benchmark, setting and entrant in an address, as initial values of the form."""
    initial = {}
    if query.get("benchmark"):
        initial["board"] = f"{query['benchmark']}/{query.get('setting', '')}"
    if query.get("entrant"):
        initial["entrant"] = query["entrant"]
    return initial
