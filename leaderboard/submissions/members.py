"""Finds the boards that the files of a zip belong to, by their names. Reads no contents."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evaluation.engine.errors import UploadError
from evaluation.engine.uploads import plain, words_of
from leaderboard import messages
from leaderboard.benchmarks.models import Benchmark
from leaderboard.submissions.models import MEMBER_CHARACTERS


@dataclass(frozen=True, slots=True)
class Destination:
    benchmark: Benchmark
    setting: str

    def require_open(self) -> None:
        """Raises UploadError if the benchmark accepts no submissions or has no such setting."""
        if not self.benchmark.accepts:
            raise UploadError(messages.NO_SUBMISSIONS(benchmark=str(self.benchmark)))
        if self.setting not in self.benchmark.family.settings:
            raise UploadError(messages.NO_SETTING())


@dataclass(frozen=True, slots=True)
class SortedMembers:
    """`boards`: by file name, the board of each file that is the only one for its board, in the
    zip's order. `left_out`: the other files, each with the reason."""

    boards: dict[str, Destination]
    left_out: list[tuple[str, str]]


def sort_members(
    names: Iterable[str], benchmarks: Sequence[Benchmark], chosen: Destination
) -> SortedMembers:
    """A file belongs to the benchmark that its name or a folder names by slug, title or family, and
    to the setting named in the same way. A file that names only a setting belongs to the chosen
    benchmark."""
    by_board: dict[Destination, list[str]] = defaultdict(list)
    left_out: list[tuple[str, str]] = []
    for name in names:
        try:
            by_board[_board(name, benchmarks, chosen)].append(name)
        except UploadError as error:
            left_out.append((name, error.problems[0].sentence))
    for board, members in by_board.items():
        if len(members) > 1:
            reason = messages.MEMBERS_OF_ONE_BOARD(
                number=len(members),
                benchmark=str(board.benchmark),
                setting=messages.setting_named(board.setting),
            )
            left_out += [(name, reason) for name in members]
    boards = {members[0]: board for board, members in by_board.items() if len(members) == 1}
    return SortedMembers(boards, left_out)


def _board(name: str, benchmarks: Sequence[Benchmark], chosen: Destination) -> Destination:
    if len(name) > MEMBER_CHARACTERS:
        raise UploadError(messages.MEMBER_NAME_LONG(most=MEMBER_CHARACTERS))
    words = words_of(name)
    named = [b for b in benchmarks if {plain(b.slug), plain(b.title)} & {*words}]
    named = named or [b for b in benchmarks if plain(b.family_slug) in words]
    if chosen.benchmark in named or (not named and _setting(words, chosen.benchmark)):
        named = [chosen.benchmark]
    if not named:
        raise UploadError(messages.MEMBER_NO_BOARD(example=chosen.benchmark.slug))
    if len(named) > 1:
        raise UploadError(messages.MEMBER_SEVERAL_BOARDS(names=", ".join(map(str, named))))
    (benchmark,) = named
    settings = benchmark.family.settings
    setting = _setting(words, benchmark) or (settings[0] if len(settings) == 1 else "")
    if not setting and benchmark == chosen.benchmark:
        setting = chosen.setting
    if not setting:
        listed = ", ".join(settings)
        raise UploadError(messages.MEMBER_NO_SETTING(benchmark=str(benchmark), names=listed))
    return Destination(benchmark, setting)


def _setting(words: Sequence[str], benchmark: Benchmark) -> str:
    """The setting that is named last, or ""."""
    family = benchmark.family
    settings = {plain(setting): setting for setting in family.settings}
    settings |= {plain(name): setting for name, setting in family.folders.items()}
    return next((settings[word] for word in words if word in settings), "")
