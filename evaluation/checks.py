"""Settings of projects, looked at before the first chunk needs them."""

from __future__ import annotations

import os
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.preparation.options import Options

# Named here, so that pip, which takes a second to answer, is not asked for its own.
_INDEX = {"ASSAY_PIP_INDEX": "not asked for"}


def project_settings(**_kwargs: Any) -> list[CheckMessage]:
    """What the variables of docs/operators/settings.md say of preparing projects."""
    try:
        options = Options.from_environment({**settings.PROJECTS, **_INDEX})
    except BenchmarkError as error:
        hint = "docs/operators/settings.md says what it may hold."
        return [Error(str(error), hint=hint, id="assay.E008")]
    return [*_certificates(options), *_source_trees(options)]


def _certificates(options: Options) -> list[CheckMessage]:
    bundle = options.network.ca_bundle
    if bundle is None or os.access(bundle, os.R_OK):
        return []
    return [
        Error(
            f"The certificates in {bundle} cannot be read, and builds of projects need them.",
            hint="Name a file in PEM by ASSAY_CA_BUNDLE, or let its reader have it.",
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
            hint="Make it and put the projects' trees there, or unset the variable.",
            id="assay.W006",
        )
    ]
