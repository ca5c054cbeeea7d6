"""The source of the local base system, and the message if it cannot be made."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evaluation.engine.errors import SandboxError
from evaluation.engine.sandbox import debootstrap

URI = st.from_regex(
    r"(https?://[a-z]{1,9}(\.[a-z]{1,9}){0,2}|file:)(/[a-z]{1,9}){1,3}/?", fullmatch=True
)
SUITES = st.sets(st.sampled_from(["bookworm-updates", "trixie", "jammy"])).map(sorted)
COMPONENTS = st.sets(st.sampled_from(["contrib", "non-free-firmware"])).map(sorted)


def mirror_of(directory: Path, name: str, text: str) -> str | None:
    path = directory / "apt" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return debootstrap.apt_mirror(directory)


@given(uri=URI, suites=SUITES, components=COMPONENTS)
def test_the_mirror_of_a_stanza_that_offers_the_release_is_taken(
    tmp_path_factory: pytest.TempPathFactory, uri: str, suites: list[str], components: list[str]
) -> None:
    other = "Types: deb\nURIs: http://other/\nSuites: trixie\nComponents: main\n\n"
    stanza = (
        f"# a comment: with a colon\nTypes: deb deb-src\nURIs: {uri}\n"
        f"Suites: {' '.join([*suites, 'bookworm'])}\n"
        f"Components: {' '.join([*components, 'main'])}\n"
    )
    directory = tmp_path_factory.mktemp("etc")
    assert mirror_of(directory, "sources.list.d/debian.sources", other + stanza) == uri
    disabled = stanza + "Enabled: no\n"
    assert mirror_of(directory, "sources.list.d/debian.sources", other + disabled) is None


@given(uri=URI, options=st.sampled_from(["", "[arch=amd64] ", "[signed-by=/a b=c] "]))
def test_the_mirror_of_a_line_that_offers_the_release_is_taken(
    tmp_path_factory: pytest.TempPathFactory, uri: str, options: str
) -> None:
    text = (
        f"# deb http://commented/ bookworm main\ndeb-src {uri} bookworm main\n"
        f"deb http://other/ bookworm-security main\ndeb {options}{uri} bookworm contrib main\n"
    )
    assert mirror_of(tmp_path_factory.mktemp("etc"), "sources.list", text) == uri


@given(text=st.text())
@example("Types: deb\nSuites: bookworm\nComponents: main")
@example("deb bookworm main")
def test_no_text_of_a_source_file_is_too_strange_to_read(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    directory = tmp_path_factory.mktemp("etc")
    assert mirror_of(directory, "sources.list", text) is None
    assert mirror_of(directory, "sources.list.d/a.sources", text) is None


def test_a_machine_without_apt_has_no_mirror(tmp_path: Path) -> None:
    assert debootstrap.apt_mirror(tmp_path) is None


def test_a_user_who_is_not_root_is_told_what_takes_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debootstrap.os, "geteuid", lambda: 1000)
    with pytest.raises(SandboxError, match="once as root"):
        debootstrap.require()


def test_debootstraps_own_words_are_handed_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "debootstrap"
    program.write_text("#!/bin/sh\necho 'I: Retrieving'\necho 'E: The mirror is down'\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(debootstrap.os, "geteuid", lambda: 0)
    sentence = r"base system: The mirror is down\. If .* ASSAY_DEBIAN_MIRROR"
    with pytest.raises(SandboxError, match=sentence), debootstrap.base_system("http://mirror/"):
        pass
