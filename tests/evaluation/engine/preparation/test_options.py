"""The options of preparing projects that the command line's environment sets."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.errors import SettingError
from evaluation.engine.preparation.options import DEFAULT_REPOSITORIES, GIB, Options


def test_every_variable_is_heard() -> None:
    options = Options.from_environment(
        {
            "ASSAY_REPOSITORIES": "/srv/{owner}+{name}/repo  https://git.example.org/{repository}",
            "ASSAY_SOURCE_TREES": "/srv/trees",
            "ASSAY_BASE_IMAGES": "python:3.11=my/python",
            "ASSAY_BUILD_NETWORK": "host",
            "ASSAY_PROJECTS_DIR": "/srv/projects",
            "ASSAY_PROJECTS_GB": "1.5",
            "ASSAY_PIP_INDEX": "https://index.example.org/simple",
        }
    )
    assert options.repositories == (
        "/srv/{owner}+{name}/repo",
        "https://git.example.org/{repository}",
    )
    assert options.source_trees == Path("/srv/trees")
    assert options.bases == {"python:3.11": "my/python"}
    assert options.build_network == "host"
    assert options.directory == Path("/srv/projects")
    assert options.most_bytes == 3 * GIB // 2
    assert options.network.pip_index == "https://index.example.org/simple"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ASSAY_REPOSITORIES", "/srv/{commit}"),
        ("ASSAY_REPOSITORIES", "/srv/{repository"),
        ("ASSAY_BUILD_NETWORK", "none"),
        ("ASSAY_PROJECTS_GB", "0"),
        ("ASSAY_PROJECTS_GB", "much"),
    ],
)
def test_a_value_that_cannot_be_meant_is_named(name: str, value: str) -> None:
    with pytest.raises(SettingError, match=f"^{name} (is|has) '.*': (it|each part) must be"):
        Options.from_environment({name: value})


@given(st.text(max_size=40))
def test_any_templates_are_taken_or_refused_by_name(words: str) -> None:
    try:
        found = Options.from_environment({"ASSAY_REPOSITORIES": words}).repositories
    except SettingError as error:
        assert any(
            str(error).startswith(f"ASSAY_REPOSITORIES has {word!r}: ") for word in words.split()
        )
    else:
        assert found == (tuple(words.split()) or DEFAULT_REPOSITORIES)
