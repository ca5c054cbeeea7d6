"""Settings of projects, looked at before the first chunk needs them."""

from __future__ import annotations

import os
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning

from evaluation.engine.errors import BenchmarkError, EndpointError
from evaluation.engine.generation.guard import Allowed
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


# A key is worth money; who can guess what it is encrypted with has it.
_LEAST_SECRET = 32


def endpoint_settings(**_kwargs: Any) -> list[CheckMessage]:
    """What the variables of docs/operators/settings.md say of runs at models' endpoints."""
    hint = "docs/operators/endpoints.md says what it may hold."
    found: list[CheckMessage] = []
    if settings.ENDPOINT_RUNS < 0:
        found.append(Error("ASSAY_ENDPOINT_RUNS is less than 0.", hint=hint, id="assay.E020"))
    try:
        Allowed.of(settings.ENDPOINTS)
    except EndpointError as error:
        found.append(Error(f"ASSAY_ENDPOINTS: {error}", hint=hint, id="assay.E021"))
    if any(len(secret) < _LEAST_SECRET for secret in settings.KEY_SECRETS):
        said = f"ASSAY_KEY_SECRETS has a secret of fewer than {_LEAST_SECRET} characters."
        found.append(Error(said, hint="Make one by `openssl rand -base64 48`.", id="assay.E022"))
    if settings.RUN_HOURS <= 0:
        said = "ASSAY_RUN_HOURS is no number of hours above 0."
        found.append(Error(said, hint=hint, id="assay.E023"))
    return found
