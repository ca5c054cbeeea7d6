"""Admin forms: a benchmark's fields, and the import of a revision."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import fields
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.records import Limits, Problem
from evaluation.engine.registry import FAMILIES
from evaluation.engine.sandbox.docker import LEAST_MEMORY
from leaderboard.benchmarks.archives import unpacked
from leaderboard.benchmarks.importing import Imported, import_revision
from leaderboard.benchmarks.models import Benchmark
from leaderboard.submissions.publishing import anything_published

if TYPE_CHECKING:
    _BenchmarkForm = forms.ModelForm[Benchmark]
else:
    _BenchmarkForm = forms.ModelForm

_WITH_FRACTIONS = ("cpu_seconds", "wall_factor", "idle_seconds")


class BenchmarkForm(_BenchmarkForm):
    """Rejects values that would otherwise fail when a submission is judged."""

    human_baseline = forms.FloatField(
        label=_("Human baseline"),
        min_value=0,
        max_value=1,
        required=False,
        help_text=_("Between 0 and 1; shown as a row that is never ranked."),
    )

    def clean_setting(self) -> str:
        setting: str = self.cleaned_data["setting"]
        self._require_settings(setting)
        return setting

    def _require_settings(self, *names: str) -> None:
        known = self.instance.family.settings
        if not set(names) <= set(known):
            raise ValidationError(
                _("The family has these settings: %(known)s."), params={"known": ", ".join(known)}
            )

    def clean_skills(self) -> list[str]:
        skills = self.cleaned_data["skills"] or []
        if not isinstance(skills, list) or not all(isinstance(skill, str) for skill in skills):
            raise ValidationError(_('Enter a list of strings, such as ["conversation"].'))
        return skills

    def clean_limits(self) -> dict[str, float]:
        limits = self.cleaned_data["limits"] or {}
        if not isinstance(limits, dict):
            raise ValidationError(_('Enter names with numbers, such as {"cpu_seconds": 4}.'))
        known = [field.name for field in fields(Limits)]
        for name, value in limits.items():
            if name not in known:
                raise ValidationError(
                    _("There is no limit %(name)s. The limits are %(known)s."),
                    params={"name": name, "known": ", ".join(known)},
                )
            kinds = (int, float) if name in _WITH_FRACTIONS else (int,)
            if isinstance(value, bool) or not isinstance(value, kinds) or not 0 < value < 2**40:
                raise ValidationError(
                    _("The limit %(name)s must be a number above 0."), params={"name": name}
                )
            if name == "memory" and value < LEAST_MEMORY:
                raise ValidationError(
                    _("The limit memory must be at least %(least)d bytes."),
                    params={"least": LEAST_MEMORY},
                )
        return limits

    def clean_counts_from(self) -> dict[str, str | None]:
        days = self.cleaned_data["counts_from"] or {}
        self._require_settings(*(days if isinstance(days, dict) else [""]))
        for day in days.values():
            try:
                valid = day is None or date.fromisoformat(day).isoformat() == day
            except (TypeError, ValueError):
                valid = False
            if not valid:
                raise ValidationError(_("Enter days such as 2026-05-01, or null."))
        return days


class _SeveralFiles(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    widget = _SeveralFiles

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile[Any]]:
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
        label=_("Make it the current revision"), required=False, initial=True
    )

    problems: tuple[Problem, ...] = ()
    more: int = 0

    def imported(self) -> Imported | None:
        """None if the files have `problems`, which it sets. Only the site's user can read the
        files."""
        data = self.cleaned_data
        with tempfile.TemporaryDirectory(dir=settings.FILE_UPLOAD_TEMP_DIR) as folder:
            try:
                paths = {
                    name: _stored(files, Path(folder, name))
                    for name, files in (
                        ("tasks", data["tasks"]),
                        ("answers", data["answers"]),
                        ("prompts", [data["prompts"]] if data["prompts"] else []),
                    )
                    if files
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
                )
            except BenchmarkError as error:
                self.problems, self.more = error.problems, error.more
                sentence: Any = _("Nothing was imported. The problems are listed below.")
                self.add_error(None, sentence)
        return None


def _stored(files: Sequence[UploadedFile[Any]], folder: Path) -> Path:
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


def _name(file: UploadedFile[Any]) -> str:
    return Path(file.name or "file").name
