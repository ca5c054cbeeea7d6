"""A site with a token of the team Northwood, and the client's command."""

import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest
from assay_client.command import main

from tests.support.commands import ROOT
from tests.support.predictions import solutions
from tests.support.stack import Stack, running_stack

# A person of the team with a confirmed address, and the token of each set of scopes.
TOKENS = """
from allauth.account.models import EmailAddress
from leaderboard.accounts.models import Membership, User
from leaderboard.accounts.tokens import make_token
person = User.objects.create_user("ada", "ada@example.org")
EmailAddress.objects.create(user=person, email=person.email, verified=True, primary=True)
membership = Membership.objects.create(team=team, user=person, role="owner")
for scopes in (["read", "submit", "publish"], ["read"]):
    _row, text = make_token(membership=membership, name="job", scopes=scopes, days=1)
    print("token", text)
"""


class Run(NamedTuple):
    """An ended command."""

    code: int
    out: str
    err: str


class Client:
    """The command with a home of its own."""

    def __init__(self, home: Path, site: str, token: str, limited: str) -> None:
        self.home, self.site, self.token, self.limited = home, site, token, limited

    def environment(self, **more: str) -> dict[str, str]:
        own = {"HOME": str(self.home), "ASSAY_SITE": self.site, "ASSAY_TOKEN": self.token}
        return {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "client"), **own, **more}

    def begun(self, *words: str | Path, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "assay_client.command", *map(str, words)],
            env=self.environment(**environment),
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str | Path, **environment: str) -> Run:
        """The ended command, in this process; the others start one, as their users do."""
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            patch.chdir(self.home)
            patch.setattr(sys, "stdin", io.StringIO())
            patch.setattr(os, "environ", self.environment(**environment))
            code = main([*map(str, words)])
        return Run(code, out.getvalue(), err.getvalue())


# An evaluation is one chunk, and nothing here waits for a lease or for the reconciler.
UNHURRIED = {
    "ASSAY_CHUNK_SECONDS": "45",
    "ASSAY_LEASE_SECONDS": "60",
    "ASSAY_RECONCILE_SECONDS": "5",
}


# Not for the session: its processes would look for work until the last test of another package.
@pytest.fixture(scope="package")
def started(migrated: Path) -> Iterator[tuple[Stack, list[str]]]:
    """The site, and its tokens."""
    with tempfile.TemporaryDirectory() as folder:
        stack = Stack(Path(folder), **UNHURRIED)
        stack.processes = 1
        printed = stack.prepare(TOKENS, migrated=migrated).splitlines()
        with running_stack(stack):
            yield stack, [line.split()[1] for line in printed if line.startswith("token ")]


@pytest.fixture(scope="package")
def stack(started: tuple[Stack, list[str]]) -> Stack:
    return started[0]


@pytest.fixture
def right(tmp_path: Path) -> Path:
    """A file with the right answer to each task, in the client's folder."""
    path = tmp_path / "predictions.jsonl"
    lines = [{"task_id": task, "completion": text} for task, text in solutions().items()]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


@pytest.fixture
def client(started: tuple[Stack, list[str]], tmp_path: Path) -> Client:
    stack, tokens = started
    return Client(tmp_path, f"http://127.0.0.1:{stack.port}", *tokens)
