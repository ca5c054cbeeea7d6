"""If the machinery fails, the command soon ends with 3 and a message; it works without the web."""

import re

import pytest

from evaluation.engine.pipeline import PATIENCE_SECONDS
from tests.evaluation.cli.conftest import Small
from tests.support.commands import ROOT, command, in_process

# A command that waited for Docker would take PATIENCE_SECONDS; `command` raises TimeoutExpired.
SOON = PATIENCE_SECONDS / 3


def test_without_docker_a_run_and_the_sandbox_check_end_with_3_soon(given: Small) -> None:
    words, nowhere = given.words(), "unix:///nonexistent/docker.sock"
    for command_words, host in ((words, "tcp://127.0.0.1:9"), (["check-sandbox"], nowhere)):
        done = command(*command_words, docker_host=host, seconds=SOON)
        assert done.code == 3, done.err
        assert ("Docker" in done.err, "Traceback" in done.err) == (True, False), done.err
    assert not given.report.exists()


@pytest.mark.docker
def test_an_unknown_runtime_ends_with_3_soon(given: Small) -> None:
    """A restarted engine would not have the runtime either, so the command does not wait for
    one."""
    done = in_process(*given.words(runtime="nonesuch"))
    assert (done.code, "nonesuch" in done.err) == (3, True), done.err


@pytest.mark.docker
def test_the_sandbox_check_tells_each_claim_and_ends_with_0() -> None:
    done = in_process("check-sandbox")
    assert done.code == 0, done.out
    told = done.out.splitlines()
    claims = [line for line in told if not line.startswith("The ")]
    assert len(claims) >= 40
    assert all(claim.startswith("ok ") for claim in claims)
    page = (ROOT / "docs/operators/administration.md").read_text("utf-8")
    quoted = re.findall(r'"(The sandbox for [^"]+)"', page)
    assert [line for line in told if line not in claims] == quoted
