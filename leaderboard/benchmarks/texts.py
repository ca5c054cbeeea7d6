"""A family's texts for the site, from its `site.toml`. Only an import reads them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from importlib import resources
from typing import Any

from django.utils.translation import gettext_lazy as _

from evaluation.engine.errors import BenchmarkError

# Shown to the person who imports the benchmark.
SHOWS_OUTPUT = _(
    "This benchmark's tests count as public: entrants see what their programs print, and "
    "models see the messages of failed tests. If your tests are hidden, turn “entrants see "
    "output” off on the benchmark's page."
)


@dataclass(frozen=True, slots=True)
class FamilyTexts:
    """Fields have the names of the benchmark's columns; empty if the family does not set them.

    shows_output: the tests are published, so a program's output reveals nothing.
    """

    summary_en: str = ""
    summary_ru: str = ""
    summary_zh: str = ""
    link: str = ""
    skills: tuple[str, ...] = ()
    metric: str = "pass@1"
    human_baseline: float | None = None
    shows_output: bool = False

    def columns(self) -> dict[str, Any]:
        named = {field.name: getattr(self, field.name) for field in fields(self)}
        return named | {"skills": list(self.skills)}


def family_texts(slug: str) -> FamilyTexts:
    """The family's texts. Raises BenchmarkError if its file is invalid."""
    file = resources.files("evaluation.engine.families").joinpath(slug, "site.toml")
    if not file.is_file():
        return FamilyTexts()
    try:
        given = tomllib.loads(file.read_text("utf-8"))
        return FamilyTexts(**given | {"skills": tuple(given.get("skills", ()))})
    except (tomllib.TOMLDecodeError, TypeError) as error:
        raise BenchmarkError(f"The site.toml of family {slug} cannot be used: {error}.") from error
