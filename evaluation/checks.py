"""System checks of the project settings, before the first chunk needs them."""

from __future__ import annotations

import os
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning

from evaluation.engine.preparation.options import Options


def project_settings(**_kwargs: Any) -> list[CheckMessage]:
    options, faults = Options.as_named(settings.PROJECTS), list[CheckMessage]()
    bundle, trees = options.network.ca_bundle, options.source_trees
    if bundle is not None and not os.access(bundle, os.R_OK):
        fault = f"The certificates in {bundle} cannot be read, and builds of projects need them."
        hint = "Set ASSAY_CA_BUNDLE to a PEM file that this user can read."
        faults.append(Error(fault, hint=hint, id="assay.E009"))
    if trees is not None and not trees.is_dir():
        fault = f"There is no directory {trees}, which ASSAY_SOURCE_TREES names."
        hint = "Create it and put the projects' trees there, or unset the variable."
        faults.append(Warning(fault, hint=hint, id="assay.W006"))
    return faults
