"""Settings of projects that cannot be are told before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.checks import CheckMessage, run_checks
from pytest_django.fixtures import Settings

from evaluation.checks import endpoint_settings, project_settings


def told(messages: list[CheckMessage]) -> list[tuple[str | None, str]]:
    return [(message.id, message.msg) for message in messages]


def test_settings_that_are_not_there_are_no_problem(settings: Settings) -> None:
    settings.PROJECTS = {}
    assert project_settings() == []


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("ASSAY_PROJECTS_GB", "plenty", "ASSAY_PROJECTS_GB must be a number of gigabytes"),
        ("ASSAY_BUILD_NETWORK", "none", "ASSAY_BUILD_NETWORK must be one of bridge, host"),
        ("ASSAY_REPOSITORIES", "/srv/mirror", "ASSAY_REPOSITORIES: '/srv/mirror' must hold"),
        ("ASSAY_BASE_IMAGES", "python", "ASSAY_BASE_IMAGES"),
    ],
)
def test_a_setting_that_cannot_be_understood_stops_every_command(
    settings: Settings, name: str, value: str, sentence: str
) -> None:
    settings.PROJECTS = {name: value}
    ((number, said),) = [each for each in told(run_checks()) if each[0] == "assay.E008"]
    assert number == "assay.E008"
    assert sentence in said


def test_certificates_and_trees_that_are_missing_are_told(
    settings: Settings, tmp_path: Path
) -> None:
    settings.PROJECTS = {
        "ASSAY_CA_BUNDLE": str(tmp_path / "ca.pem"),
        "ASSAY_SOURCE_TREES": str(tmp_path / "trees"),
    }
    assert told(project_settings()) == [
        ("assay.E009", f"The certificates in {tmp_path}/ca.pem cannot be read, and builds of "
         "projects need them."),
        ("assay.W006", f"There is no directory {tmp_path}/trees, which ASSAY_SOURCE_TREES names."),
    ]  # fmt: skip


def test_endpoints_are_off_and_nothing_is_wrong_with_that(settings: Settings) -> None:
    assert settings.ENDPOINT_RUNS == 0
    assert endpoint_settings() == []


@pytest.mark.parametrize(
    ("name", "value", "number", "sentence"),
    [
        ("ENDPOINT_RUNS", -1, "assay.E020", "ASSAY_ENDPOINT_RUNS is less than 0"),
        ("ENDPOINTS", ["127.0.0.1:8000"], "assay.E021", "'127.0.0.1:8000' is neither"),
        ("KEY_SECRETS", ["x" * 40, "short"], "assay.E022", "fewer than 32 characters"),
        ("RUN_HOURS", 0.0, "assay.E023", "ASSAY_RUN_HOURS is no number"),
    ],
)
def test_a_setting_of_endpoints_that_cannot_be_is_named(
    settings: Settings, name: str, value: object, number: str, sentence: str
) -> None:
    setattr(settings, name, value)
    ((id_, said),) = [one for one in told(run_checks()) if (one[0] or "").startswith("assay.E02")]
    assert id_ == number
    assert sentence in said
    assert "short" not in said
