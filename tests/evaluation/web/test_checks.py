"""Tests of the checks, before anything runs, for files and directories that project settings
name."""

from __future__ import annotations

from pathlib import Path

from pytest_django.fixtures import Settings

from evaluation.checks import project_settings


def test_settings_that_are_not_there_are_no_problem(settings: Settings) -> None:
    settings.PROJECTS = {}
    assert project_settings() == []


def test_certificates_and_trees_that_are_missing_are_told(
    settings: Settings, tmp_path: Path
) -> None:
    settings.PROJECTS = {
        "ASSAY_CA_BUNDLE": str(tmp_path / "ca.pem"),
        "ASSAY_SOURCE_TREES": str(tmp_path / "trees"),
    }
    assert [(check.id, check.msg) for check in project_settings()] == [
        ("assay.E009", f"The certificates in {tmp_path}/ca.pem cannot be read, and builds of "
         "projects need them."),
        ("assay.W006", f"There is no directory {tmp_path}/trees, which ASSAY_SOURCE_TREES names."),
    ]  # fmt: skip
