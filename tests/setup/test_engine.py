"""Tests of the decisions in starting Docker that can be tested without Docker."""

import os
import subprocess
from pathlib import Path

import pytest

from scripts import demo, engine


def test_a_pid_file_of_a_process_that_is_gone_or_another_is_removed(tmp_path: Path) -> None:
    gone, another, alive = tmp_path / "gone", tmp_path / "another", tmp_path / "alive"
    gone.write_text("999999999")
    another.write_text(str(os.getpid()))
    alive.write_text(str(os.getpid()))
    ours = Path("/proc/self/comm").read_text().strip()
    engine.remove_stale_pid_files({gone: "dockerd", another: "dockerd", alive: ours})
    assert [path.exists() for path in (gone, another, alive)] == [False, False, True]


def test_a_zombie_does_not_run() -> None:
    with subprocess.Popen(["true"]) as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert not engine.runs(str(process.pid), "true")


@pytest.mark.parametrize(
    ("said", "failed"),
    [
        (
            "failed to start daemon: Error initializing network controller: error obtaining "
            "controller instance: failed to create NAT chain DOCKER: iptables failed",
            True,
        ),
        ("iptables is fine\n1\n2\n3\nfailed to start daemon: no space left on device", False),
        ("", False),
    ],
)
def test_a_failing_firewall_is_told_from_other_ends(said: str, failed: bool) -> None:
    assert engine.firewall_failed(said) is failed


def test_options_of_dockerd_are_read_as_a_shell_reads_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_DOCKERD_OPTIONS", "")
    assert engine.dockerd_options() == []
    monkeypatch.setenv("ASSAY_DOCKERD_OPTIONS", "--data-root='/big disk' --debug")
    assert engine.dockerd_options() == ["--data-root=/big disk", "--debug"]


def test_options_of_dockerd_with_an_open_quote_end_set_up_with_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASSAY_DOCKERD_OPTIONS", "--data-root='/big")
    monkeypatch.setattr(engine, "ensure_docker", engine.dockerd_options)
    with pytest.raises(SystemExit):
        engine.main()
    assert capsys.readouterr().err == (
        'setup: ASSAY_DOCKERD_OPTIONS is "--data-root=\'/big": it must be options as in a shell, '
        "with every quote closed.\n"
    )


def test_a_port_of_the_demo_that_cannot_be_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASSAY_PORT", "65536")
    with pytest.raises(SystemExit):
        demo._port()
    assert capsys.readouterr().err == (
        "demo: ASSAY_PORT is '65536': it must be a whole number, from 1 to 65535.\n"
    )


def test_a_docker_that_may_not_be_installed_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.setattr(engine.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(engine, "SOCKET", Path("/nonexistent.sock"))
    with pytest.raises(SystemExit):
        engine.require_permission()
    said = capsys.readouterr().err
    assert "needs root" in said
    assert len(said.splitlines()) == 1
