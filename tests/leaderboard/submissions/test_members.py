"""Tests of a zip's files and the boards that follow from their names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.benchmarks.models import Benchmark
from leaderboard.submissions.members import Destination, sort_members
from leaderboard.submissions.models import MEMBER_CHARACTERS

FUNCTIONS = Benchmark(pk=1, slug="codeif", family_slug="codeif_function", title="CodeIF-Bench")
RUSSIAN = Benchmark(pk=2, slug="rucodeeval", family_slug="rucodeeval", title="ruCodeEval")
OLDER = Benchmark(pk=3, slug="rucodeeval-2023", family_slug="rucodeeval", title="ruCodeEval 2023")
JAVA = Benchmark(pk=4, slug="realcode-java", family_slug="realcode_java", title="RealCode Java")
PROJECTS = Benchmark(pk=5, slug="realcode", family_slug="realcode", title="RealCode")
ALL = [FUNCTIONS, RUSSIAN, JAVA, PROJECTS]
CHOSEN = Destination(FUNCTIONS, "base")


def boards(
    *names: str, benchmarks: list[Benchmark] = ALL, chosen: Destination = CHOSEN
) -> dict[str, tuple[str, str]]:
    found = sort_members(names, benchmarks, chosen).boards
    return {name: (one.benchmark.slug, one.setting) for name, one in found.items()}


def test_the_files_of_a_mera_submission_name_their_benchmarks() -> None:
    names = ("run/ruCodeEval.json", "run/RealCode.json", "run/RealCodeJava.json", "run/BPS.json")
    assert boards(*names) == {
        "run/ruCodeEval.json": ("rucodeeval", "base"),
        "run/RealCode.json": ("realcode", "base"),
        "run/RealCodeJava.json": ("realcode-java", "base"),
    }
    ((name, why),) = sort_members(names, ALL, CHOSEN).left_out
    assert name == "run/BPS.json"
    assert "contains no benchmark of this site" in why


@pytest.mark.parametrize(
    "names",
    [
        ("claude/base.jsonl", "claude/multi_round.jsonl", "claude/n_round.jsonl"),
        ("base/claude.jsonl", "multi_round/claude.jsonl", "n_round/claude.jsonl"),
        ("x\\base\\a.json", "x\\two_round\\a.json", "x\\Multi-Turn\\a.json"),
        ("codeif/base.json", "CodeIF-Bench/multi_round.json", "codeif_function/n_round.json"),
    ],
)
def test_setting_folders_become_settings_of_the_chosen_benchmark(names: tuple[str, ...]) -> None:
    settings = [("codeif", name) for name in ("base", "two_round", "multi_turn")]
    assert [*boards(*names).values()] == settings


def test_two_files_for_one_board_are_both_left_out() -> None:
    found = sort_members(["gpt/base.jsonl", "claude/base.jsonl"], ALL, CHOSEN)
    assert found.boards == {}
    assert ["one zip for each model" in why for _name, why in found.left_out] == [True, True]
    found = sort_members(["gpt/n_round.jsonl", "claude/multi_turn.jsonl"], ALL, CHOSEN)
    assert ["CodeIF-Bench, multi turn," in why for _name, why in found.left_out] == [True, True]


def test_a_name_that_fits_several_benchmarks_says_so_unless_one_is_chosen() -> None:
    two, name = [RUSSIAN, OLDER], "rucodeeval.json"
    assert boards(name, benchmarks=two) == {name: ("rucodeeval", "base")}
    RENAMED = Benchmark(pk=6, slug="ru", family_slug="rucodeeval", title="Russian tasks")
    two = [RENAMED, OLDER]
    ((_name, why),) = sort_members([name], two, CHOSEN).left_out
    assert "fits several benchmarks: Russian tasks, ruCodeEval 2023" in why
    chosen = Destination(OLDER, "base")
    assert boards(name, benchmarks=two, chosen=chosen) == {name: ("rucodeeval-2023", "base")}


def test_a_benchmark_with_several_settings_needs_one_in_the_name() -> None:
    ((_name, why),) = sort_members(["codeif.jsonl"], ALL, Destination(RUSSIAN, "base")).left_out
    assert "base, single_round, two_round, multi_turn, dynamic" in why
    assert boards("codeif.jsonl") == {"codeif.jsonl": ("codeif", "base")}


names = st.lists(
    st.lists(
        st.sampled_from(["base", "n_round", "ruCodeEval", "..", "", "x" * 300, "\0", "ы.json"]),
        min_size=1,
        max_size=3,
    ).map("/".join),
    max_size=6,
)


@given(names)
def test_each_file_has_one_board_of_its_own_or_a_reason(given_names: list[str]) -> None:
    found = sort_members(given_names, ALL, CHOSEN)
    left = [name for name, _why in found.left_out]
    assert sorted([*found.boards, *left]) == sorted(given_names)
    assert len({*found.boards.values()}) == len(found.boards)
    assert all(len(name) <= MEMBER_CHARACTERS for name in found.boards)
    assert all(board.setting in board.benchmark.family.settings for board in found.boards.values())
