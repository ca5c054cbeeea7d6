"""Forms to order and resume runs. A page never contains a key."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from evaluation.engine.family import Sampling
from evaluation.engine.generation.guard import is_key
from evaluation.engine.instructions import DYNAMIC
from leaderboard.accounts.models import User
from leaderboard.benchmarks.models import Benchmark
from leaderboard.generation.models import Run
from leaderboard.generation.runs import KEY_CHARACTERS, asked_settings
from leaderboard.pages.shared.fields import EndpointField
from leaderboard.pages.submissions.forms import BoardForm

MOST_SAMPLES, MOST_WIDTH, MOST_TOKENS = 100, 32, 1_000_000
# The value that leaves a parameter to the endpoint, as on the command line.
NONE = "none"
# Maximum values by field name.
SAMPLING = {"temperature": 10.0, "top_p": 1.0, "repetition_penalty": 10.0}
_HIDING = {"autocomplete": "new-password", "spellcheck": "false"}


class NumberOrNone(forms.CharField):
    """Accepts a number, "none", or an empty value, which means the published parameter."""

    def __init__(self, *, most: float, whole: bool = False, **kwargs: Any) -> None:
        super().__init__(required=False, max_length=20, **kwargs)
        self.most, self.kind = most, int if whole else float

    def clean(self, value: Any) -> float | str | None:
        text = str(super().clean(value)).replace(",", ".").lower()
        if text in ("", NONE):
            return text
        try:
            number = self.kind(text)
        except ValueError:
            number = -1
        if not 0 <= number <= self.most:
            sentence = gettext("A number from 0 to %(most)g, or none.")
            raise ValidationError(sentence % {"most": self.most})
        return number


class KeyField(forms.CharField):
    """An API key. It is never rendered: after an error elsewhere the user enters it again."""

    widget = forms.PasswordInput(attrs=_HIDING, render_value=False)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=KEY_CHARACTERS, required=False, label=_("Key"), **kwargs)

    def clean(self, value: Any) -> str:
        key = str(super().clean(value))
        if not is_key(key):
            raise ValidationError(_("A key contains no spaces and only ASCII characters."))
        return key


class RunForm(BoardForm):
    address, beside = "run-new", "published"

    endpoint = EndpointField(
        label=_("Endpoint"),
        max_length=500,
        help_text=_(
            "An address like https://host.example/v1 that serves OpenAI's chat completions."
        ),
        widget=forms.URLInput(attrs={"autocomplete": "off", "placeholder": "https://"}),
        error_messages={"required": _("Enter the address of the endpoint.")},
    )
    model = forms.CharField(
        label=_("Model"),
        max_length=200,
        help_text=_("The model's name at the endpoint."),
        widget=forms.TextInput(attrs={"autocomplete": "username", "spellcheck": "false"}),
    )
    key = KeyField(
        help_text=_(
            "Stored encrypted during the run, never shown, and deleted when the run ends. "
            "Prefer a key with its own limit."
        )
    )
    samples = forms.IntegerField(
        label=_("Samples"),
        min_value=1,
        max_value=MOST_SAMPLES,
        required=False,
        help_text=_("Always 1 for dynamic conversations."),
    )
    temperature = NumberOrNone(label=_("Temperature"), most=SAMPLING["temperature"])
    top_p = NumberOrNone(label=_("top_p"), most=SAMPLING["top_p"])
    repetition_penalty = NumberOrNone(
        label=_("Repetition penalty"), most=SAMPLING["repetition_penalty"]
    )
    max_tokens = NumberOrNone(label=_("Maximum tokens per answer"), most=MOST_TOKENS, whole=True)
    history = forms.ChoiceField(
        label=_("Earlier turns shown to the model in Multi-Turn"),
        choices=[("last", _("the last answer")), ("full", _("everything"))],
        initial="last",
        help_text=_("This has no effect in other settings."),
    )
    width = forms.IntegerField(
        label=_("Concurrent messages"), min_value=1, max_value=MOST_WIDTH, initial=8
    )
    stream = forms.BooleanField(
        label=_("Stream the answers"),
        required=False,
        help_text=_("Some servers need this for long answers."),
    )
    price_sent = forms.FloatField(
        label=_("US dollars per million input tokens"), min_value=0, max_value=1e6, required=False
    )
    price_answered = forms.FloatField(
        label=_("US dollars per million output tokens"), min_value=0, max_value=1e6, required=False
    )
    judge = forms.BooleanField(
        label=_("Judge the generations when all are complete"),
        required=False,
        initial=True,
        help_text=_("Otherwise you review them first, as after an upload."),
    )

    groups = {  # noqa: RUF012  # only the template reads it
        "model": ("board", "entrant", "endpoint", "model", "key"),
        "sampling": ("samples", "temperature", "top_p", "repetition_penalty", "max_tokens"),
        "more": ("history", "width", "stream", "price_sent", "price_answered", "judge"),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if shown := self.board_shown():
            for name, value in sampling_words(author_sampling(*shown)).items():
                self.fields[name].widget.attrs["placeholder"] = value

    def settings_of(self, benchmark: Benchmark) -> Sequence[str]:
        return asked_settings(benchmark)

    def fields_by_group(self) -> dict[str, list[forms.BoundField]]:
        return {name: [self[field] for field in group] for name, group in self.groups.items()}

    def open_more(self) -> bool:
        return any(map(self.errors.get, (*self.groups["sampling"], *self.groups["more"])))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        prices = [cleaned.get(name) for name in ("price_sent", "price_answered")]
        if prices.count(None) == 1:
            raise ValidationError(_("Enter both prices, or neither."))
        dynamic = "board" in cleaned and self.target()[1] == DYNAMIC
        if dynamic and (cleaned.get("samples") or 1) != 1:
            sentence = _("A dynamic conversation is held once for each task: ask for 1 sample.")
            self.add_error("samples", sentence)
        return cleaned

    def run(self, user: User) -> Run:
        """The run, which is not stored yet."""
        cleaned, (benchmark, setting) = self.cleaned_data, self.target()
        assert benchmark.current is not None, "open benchmarks have a revision"
        sampling = author_sampling(benchmark, setting)
        entered = {name: cleaned[name] for name in (*SAMPLING, "max_tokens") if cleaned[name] != ""}
        changes = {name: None if value == NONE else value for name, value in entered.items()}
        samples = cleaned["samples"] or sampling.samples
        columns = ("entrant", "endpoint", "model", "history", "stream", "width", "judge")
        return Run(
            user=user,
            revision=benchmark.current,
            setting=setting,
            sampling=asdict(replace(sampling, samples=samples, **changes)),
            **{name: cleaned[name] for name in (*columns, "price_sent", "price_answered")},
        )


class ResumeForm(forms.Form):
    """Asks for the key again, since the end of a run deletes it."""

    key = KeyField()


def author_sampling(benchmark: Benchmark, setting: str) -> Sampling:
    """The sampling that the benchmark's authors publish, with 1 sample in dynamic settings."""
    asking = benchmark.family.asking
    assert asking is not None, "benchmarks of the form are asked"
    return replace(asking.sampling, samples=1) if setting == DYNAMIC else asking.sampling


def sampling_words(sampling: Sampling) -> dict[str, str]:
    values = {name: getattr(sampling, name) for name in ("samples", *SAMPLING, "max_tokens")}
    return {name: NONE if value is None else f"{value:g}" for name, value in values.items()}
