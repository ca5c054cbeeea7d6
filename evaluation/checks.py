"""System checks of the project settings, before the first chunk needs them."""

from __future__ import annotations

import os
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning

from evaluation.engine.preparation.options import Options


def project_settings(**_kwargs: Any) -> list[CheckMessage]:
    options = Options.as_named(settings.PROJECTS)
    return [*_certificates(options), *_source_trees(options)]


def _certificates(options: Options) -> list[CheckMessage]:
    bundle = options.network.ca_bundle
    if bundle is None or os.access(bundle, os.R_OK):
        return []
    return [
        Error(
            f"The certificates in {bundle} cannot be read, and builds of projects need them.",
            hint="Set ASSAY_CA_BUNDLE to a PEM file that this user can read.",
            id="assay.E009",
        )
    ]


def _source_trees(options: Options) -> list[CheckMessage]:
    trees = options.source_trees
    if trees is None or trees.is_dir():
        return []
    return [
        Warning(
            f"There is no directory {trees}, which ASSAY_SOURCE_TREES names.",
            hint="Create it and put the projects' trees there, or unset the variable.",
            id="assay.W006",
        )
    ]
