"""Admin forms: a benchmark's fields, and the import of a revision."""

import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.records import Problem
from evaluation.engine.registry import FAMILIES
from evaluation.engine.sandbox.docker import LEAST_MEMORY
from leaderboard.benchmarks.archives import unpacked
from leaderboard.benchmarks.importing import ImportedRevision, import_revision
from leaderboard.pages.boards.words import setting_words
from leaderboard.submissions.publishing import anything_published


class _Inputs(forms.MultiWidget):
    """The inputs of a NamedValues field, each with its label."""

    def __init__(self, parts: Mapping[str, forms.Field]) -> None:
        self.labels = [part.label for part in parts.values()]
        self.names = list(parts)
        super().__init__({name: part.widget for name, part in parts.items()})

    def decompress(self, value: Mapping[str, Any] | None) -> list[Any]:
        return [(value or {}).get(name) for name in self.names]

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        inputs = self.get_context(name, value, attrs)["widget"]["subwidgets"]
        rows = (
            (label, self._render(part["template_name"], {"widget": part}, renderer))  # type: ignore[attr-defined]  # of Django's Widget
            for label, part in zip(self.labels, inputs, strict=True)
        )
        labelled = format_html_join("", "<label>{} {}</label>", rows)
        return format_html('<div class="named-values">{}</div>', labelled)


class NamedValues(forms.MultiValueField):
    """Optional values by name, in a JSON column; `parts` are their fields, each with a label."""

    def __init__(self, parts: Mapping[str, forms.Field], **options: Any) -> None:
        self.names = tuple(parts)
        fields, widget = tuple(parts.values()), _Inputs(parts)
        options |= {"required": False, "require_all_fields": False}
        super().__init__(fields=fields, widget=widget, **options)

    def compress(self, values: Sequence[Any]) -> dict[str, Any]:
        pairs = zip(self.names, values, strict=False)
        return {name: value for name, value in pairs if value not in (None, "", False)}


def _limit(label: Any, least: float, *, whole: bool = True) -> forms.Field:
    kind = forms.IntegerField if whole else forms.FloatField
    return kind(label=label, min_value=least, max_value=2**40, required=False)  # type: ignore[arg-type]  # int or float


_LIMITS = {
    "cpu_seconds": _limit(_("processor time, in seconds"), 0.1, whole=False),
    "wall_factor": _limit(_("wall time, as a multiple of it"), 1, whole=False),
    "memory": _limit(_("memory, in bytes"), LEAST_MEMORY),
    "output": _limit(_("output, in bytes"), 1),
    "pids": _limit(_("processes"), 1),
    "open_files": _limit(_("open files"), 1),
    "idle_seconds": _limit(_("time without processor time, in seconds"), 0.1, whole=False),
}
_LATER = "later"


class BenchmarkForm(forms.ModelForm):  # type: ignore[type-arg]  # generic only in the stubs
    """Rejects values that would otherwise fail when a submission is judged."""

    human_baseline = forms.FloatField(
        label=_("Human baseline"),
        min_value=0,
        max_value=1,
        required=False,
        help_text=_("Between 0 and 1; shown as a row that is never ranked."),
    )
    skills = forms.CharField(
        label=_("Skills"),
        required=False,
        max_length=500,
        help_text=_("Separated by commas."),
        widget=forms.TextInput({"class": "vLargeTextField"}),
    )
    limits = NamedValues(
        _LIMITS, label=_("Limits"), help_text=_("An empty field leaves the family's own limit.")
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "counts_from" not in self.fields:  # for staff who may only view the benchmark
            return
        parts: dict[str, forms.Field] = {
            _LATER: forms.BooleanField(label=_("only from the days below"), required=False)
        }
        for setting in self.instance.family.settings:
            day = forms.DateInput({"type": "date"}, format="%Y-%m-%d")
            parts[setting] = forms.DateField(
                label=setting_words(setting), required=False, widget=day
            )
        self.fields["counts_from"] = NamedValues(
            parts,
            label=_("Counts in means over benchmarks"),
            help_text=_("A setting without a day does not count yet."),
        )
        days = self.instance.counts_from
        self.initial["counts_from"] = {_LATER: bool(days), **days}
        self.initial["skills"] = ", ".join(self.instance.skills)

    def clean_setting(self) -> str:
        setting: str = self.cleaned_data["setting"]
        names = self.instance.family.settings
        if setting not in names:
            raise ValidationError(
                _("The family has these settings: %(known)s."), params={"known": ", ".join(names)}
            )
        return setting

    def clean_skills(self) -> list[str]:
        """Each skill once, in any case."""
        parts = (" ".join(part.split()) for part in self.cleaned_data["skills"].split(","))
        return [*{part.casefold(): part for part in parts if part}.values()]

    def clean_counts_from(self) -> dict[str, str | None]:
        days = self.cleaned_data["counts_from"] or {}
        if not days.pop(_LATER, False):
            if days:
                raise ValidationError(_("Choose “only from the days below” to use these days."))
            return {}
        settings_of_family = self.instance.family.settings
        return {
            name: days[name].isoformat() if name in days else None for name in settings_of_family
        }


class _SeveralFiles(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    widget = _SeveralFiles

    def clean(self, data: Any, initial: Any = None) -> "list[UploadedFile[Any]]":
        posted = data if isinstance(data, list | tuple) else [data] if data else []
        if not posted:
            super().clean(None, initial)
        files = [super(FilesField, self).clean(file, initial) for file in posted]
        if len({_name(file) for file in files}) < len(files):
            raise ValidationError(_("Two of the files have the same name."))
        return files


class ImportForm(forms.Form):
    family = forms.ChoiceField(
        label=_("Family"),
        choices=lambda: [(family.slug, family.title) for family in FAMILIES.values()],
    )
    label = forms.CharField(
        label=_("Revision"),
        max_length=60,
        help_text=_("A name that scores can be cited by, such as 2026-05."),
    )
    tasks = FilesField(
        label=_("Tasks"),
        help_text=_(
            "The tasks file. If the dataset has several files, choose all of them, with "
            "sources.json if there is one. If the dataset has folders, such as a repository's "
            "checkout, choose one zip."
        ),
    )
    answers = FilesField(
        label=_("Answers"),
        required=False,
        help_text=_(
            "Private answers, if the tasks file does not contain the expected results. Some "
            "families take another revision's files here; see the family's README."
        ),
    )
    prompts = forms.FileField(
        label=_("Prompts"),
        required=False,
        help_text=_(
            "The wording of the questions (JSON), if the tasks have none and you do not use "
            "ours; see the family's README."
        ),
    )
    slug = forms.SlugField(
        label=_("Address"),
        max_length=60,
        required=False,
        help_text=_("If empty, the benchmark is named after its family."),
    )
    make_current = forms.BooleanField(
        label=_("Make it the current revision"),
        required=False,
        help_text=_(
            "Leave this off to look at the revision's board and tasks first, then choose it on the "
            "benchmark's page. A new benchmark is listed only when you say so."
        ),
    )

    problems: tuple[Problem, ...] = ()
    more: int = 0

    def imported(self) -> ImportedRevision | None:
        """None if the files have `problems`, which it sets. Only the site's user can read the
        files."""
        data = self.cleaned_data
        with tempfile.TemporaryDirectory(dir=settings.FILE_UPLOAD_TEMP_DIR) as folder:
            try:
                files = {"tasks": data["tasks"], "answers": data["answers"]}
                files |= {"prompts": [data["prompts"]] if data["prompts"] else []}
                paths = {
                    name: _stored(files[name], Path(folder, name)) for name in files if files[name]
                }
                return import_revision(
                    family_slug=data["family"],
                    slug=data["slug"] or None,
                    tasks=paths["tasks"],
                    answers=paths.get("answers"),
                    prompts=paths.get("prompts"),
                    label=data["label"],
                    counts=not anything_published(),
                    make_current=data["make_current"],
                    listed=False,
                )
            except BenchmarkError as error:
                self.problems, self.more = error.problems, error.more
                sentence: Any = _("Nothing was imported. The problems are listed below.")
                self.add_error(None, sentence)
        return None


def _stored(files: "Sequence[UploadedFile[Any]]", folder: Path) -> Path:
    """Keeps the files' names, since problems mention them. Raises BenchmarkError."""
    folder.mkdir()
    for file in files:
        with (folder / _name(file)).open("wb") as stored:
            for part in file.chunks():
                stored.write(part)
    if len(files) > 1:
        return folder
    alone = folder / _name(files[0])
    is_zip = zipfile.is_zipfile(alone)  # whatever its name
    return unpacked(alone, folder / ".unpacked") if is_zip else alone


def _name(file: "UploadedFile[Any]") -> str:
    return Path(file.name or "file").name
