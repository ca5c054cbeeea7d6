"""The command `assay` against a running site."""

import csv
import json
import stat
from pathlib import Path
from typing import Any

import pytest
from assay_client import Refused, Site
from assay_client.credentials import checked_address, credentials, store

from tests.client.conftest import Client
from tests.support.commands import wait_for
from tests.support.predictions import solutions, write_quick
from tests.support.stack import Stack

pytestmark = pytest.mark.docker
BOARD = ("-b", "rucodeeval")


def test_a_file_is_submitted_judged_published_and_stands_on_the_board(
    client: Client, right: Path
) -> None:
    done = client.run("submit", right, *BOARD, "-e", "larch", "--publish", "--json")
    assert done.code == 0, done.err
    result = json.loads(done.out)
    assert (result["state"], result["score"]) == ("done", 1.0)
    assert result["published"]

    def rows() -> list[dict[str, Any]]:
        board = client.run("board", "rucodeeval", "--format", "json").out
        return list(json.loads(board)["rows"])

    # The order of a board is computed a moment later.
    wait_for(rows, pause=0.2)
    assert [(row["entrant"], row["score"]) for row in rows()] == [("Larch", 1.0)]
    table = list(
        csv.DictReader(client.run("board", "rucodeeval", "--format", "csv").out.splitlines())
    )
    assert [(row["entrant"], float(row["score"])) for row in table] == [("Larch", 1.0)]
    assert "Larch" in client.run("board", "rucodeeval").out

    # The same once more is the same submission.
    again = client.run("submit", right, *BOARD, "-e", "larch", "--wait", "--json")
    assert json.loads(again.out)["submission"] == result["submission"]
    assert result["submission"] in client.run("status").out
    assert client.run("verdicts", result["submission"], "-o", "verdicts.jsonl").code == 0
    verdicts = (client.home / "verdicts.jsonl").read_text().splitlines()
    assert len(verdicts) == len(solutions())


def test_what_was_cancelled_is_submitted_anew(client: Client, stack: Stack, tmp_path: Path) -> None:
    write_quick(tmp_path / "again.jsonl", 13, "again")
    words = ("submit", "again.jsonl", *BOARD, "-e", "larch", "--confirm")
    first = json.loads(client.run(*words, "--wait", "--json").out)["submission"]
    assert json.loads(client.run(*words, "--json").out)["submission"] == first
    stack.script(
        "from evaluation.models import Evaluation\n"
        f"Evaluation.objects.filter(submission__public_id={first!r}).update(state='cancelled')"
    )
    second = json.loads(client.run(*words, "--wait", "--json").out)["submission"]
    assert second != first
    assert json.loads(client.run(*words, "--json").out)["submission"] == second

    # A list is read to its end, over several pages, too.
    with Site(client.site, client.token) as site:
        every = [row["submission"] for row in site.submissions()]
        assert {first, second} <= set(every)
        assert [row["submission"] for row in site._pages("team/submissions", limit="1")] == every


def test_a_result_that_was_withdrawn_is_published_again(client: Client, right: Path) -> None:
    words = ("submit", right, *BOARD, "-e", "larch", "--publish", "--json")
    result = json.loads(client.run(*words).out)
    with Site(client.site, client.token) as site:
        site._post(f"submissions/{result['submission']}/withdraw", json={})
        assert site.status(result["submission"])["published"] is None
    assert json.loads(client.run(*words).out)["published"]


def test_a_score_below_the_threshold_has_an_exit_code(client: Client, tmp_path: Path) -> None:
    write_quick(tmp_path / "mixed.jsonl", 12, "mixed")
    done = client.run(
        "submit", "mixed.jsonl", *BOARD, "-e", "larch", "--fail-under", "0.99", "--confirm"
    )
    assert done.code == 4, done
    assert "not 0.99 or more" in done.err


def test_a_wrong_file_is_refused_with_lines(client: Client, tmp_path: Path) -> None:
    (tmp_path / "wrong.jsonl").write_text('{"task_id": 1}\n{"task_id": 1, "completion": 2}\n')
    for words in (("check",), ("submit", "-e", "larch")):
        done = client.run(*words, "wrong.jsonl", *BOARD)
        assert done.code == 1, done
        assert "line 1" in done.err
        assert "Traceback" not in done.err


def test_a_right_file_is_checked_and_not_stored(client: Client, stack: Stack, right: Path) -> None:
    before = stack.number("SELECT count(*) FROM submissions_submission")
    done = client.run("check", right, *BOARD)
    assert done.code == 0, done.err
    assert f"{len(solutions())} generations" in done.out
    assert stack.number("SELECT count(*) FROM submissions_submission") == before


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("submit", "none.jsonl", *BOARD, "-e", "larch"), "cannot be read"),
        (("board", "nothing"), "benchmark"),
        (("compare", "larch", "birch", *BOARD), "birch"),
        (("status", "no-such-id"), ""),
    ],
)
def test_what_is_refused_says_why(client: Client, words: tuple[str, ...], says: str) -> None:
    done = client.run(*words)
    assert done.code == 1, done
    assert says in done.err
    assert "Traceback" not in done.err


def test_a_token_without_the_scope_is_refused(client: Client, right: Path) -> None:
    done = client.run("submit", right, *BOARD, "-e", "larch", ASSAY_TOKEN=client.limited)
    assert done.code == 1
    assert "submit" in done.err


def test_who_does_not_answer_has_an_exit_code(client: Client) -> None:
    done = client.run("--patience", "1", "board", "rucodeeval", ASSAY_SITE="http://127.0.0.1:9")
    assert done.code == 5, done
    assert "does not answer" in done.err


def test_stored_credentials_are_for_their_owner_and_their_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for name in ("ASSAY_SITE", "ASSAY_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    path = store("https://one.example.org", "assay_secret")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert credentials() == ("https://one.example.org", "assay_secret")
    assert credentials("https://two.example.org") == ("https://two.example.org", "")
    path.chmod(0o640)
    with pytest.raises(Refused, match="chmod 600"):
        credentials()


def test_a_token_crosses_no_network_unencrypted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSAY_ALLOW_HTTP", raising=False)
    for address in ("http://assay.example.org", "assay.example.org", "ftp://127.0.0.1"):
        with pytest.raises(Refused):
            checked_address(address)
    assert checked_address("http://localhost:8000/") == "http://localhost:8000"
