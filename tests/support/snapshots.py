"""Snapshots of data that many tests begin with. The data is made once in a process; each test gets
its rows, files and objects again in a tenth of the time."""

import os
import pickle
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

from django.apps import apps
from django.db import connection, transaction
from django.db.models import Model

from leaderboard.pages.models import PublicChange
from tests.support.cast import Cast

T = TypeVar("T")
# The number of parameters that SQLite accepts in one statement.
_PARAMETERS = 30_000
# In an older snapshot, times at which somebody was seen, or something was claimed or due, are too
# long ago.
FRESH_SECONDS = 900.0


@dataclass(frozen=True, slots=True)
class _Table:
    columns: Sequence[str]
    rows: Sequence[tuple[Any, ...]]

    def statements(self, name: str) -> Iterator[tuple[str, list[Any]]]:
        """INSERTs of many rows each, with their parameters."""
        quote = connection.ops.quote_name
        head = f"INSERT INTO {quote(name)} ({', '.join(map(quote, self.columns))}) VALUES "
        one = f"({', '.join(['%s'] * len(self.columns))})"
        most = _PARAMETERS // len(self.columns)
        for start in range(0, len(self.rows), most):
            part = self.rows[start : start + most]
            yield head + ", ".join([one] * len(part)), [value for row in part for value in row]


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """Rows of an otherwise empty database, files of a folder if there are any, and the pickled
    objects for both."""

    made: bytes
    tables: Mapping[str, _Table]
    files: Path | None
    taken: float

    @classmethod
    def of(cls, make: Callable[[], T], media: Path | None) -> tuple[T, Self]:
        """Calls `make`, which stores its files in `media`. Returns the result, too."""
        before = _tables()
        made = make()
        after = {name: table for name, table in _tables().items() if table != before[name]}
        touched = [name for name in after if before[name].rows]
        assert not touched, f"rows of migrations would come twice: {touched}"
        # Removed with the process's data.
        files = Path(tempfile.mkdtemp(dir=os.environ["ASSAY_DATA_DIR"])) if media else None
        if media and files:
            shutil.copytree(media, files, dirs_exist_ok=True)
        return made, cls(pickle.dumps(made), after, files, time.monotonic())

    def restored(self, media: Path | None) -> Any:
        """The objects again, with their rows and files, in a database and a folder without these.
        The database must be that of the same process, whose next row numbers are beyond the
        snapshot's: PostgreSQL does not take numbers back, and SQLite looks at the rows."""
        with transaction.atomic(), connection.cursor() as cursor:
            for name, table in self.tables.items():
                for statement, parameters in table.statements(name):
                    cursor.execute(statement, parameters)
        if self.files and media:
            shutil.copytree(self.files, media, dirs_exist_ok=True)
        return pickle.loads(self.made)


_kept: dict[str, _Snapshot] = {}


def made_once(cast: Cast, name: str, make: Callable[[], T], media: Path | None = None) -> T:
    """The result of `make`, with its rows and the cast's, and its files in `media`. `make` runs
    only for the first test of a process that asks for the name, and for tests whose cast has
    already made something."""
    if vars(cast):
        return make()
    if name not in _kept or time.monotonic() - _kept[name].taken > FRESH_SECONDS:
        (_, made), _kept[name] = _Snapshot.of(lambda: (cast, make()), media)
        return made
    again: tuple[Cast, T] = _kept[name].restored(media)
    vars(cast).update(vars(again[0]))
    return again[1]


def _tables() -> dict[str, _Table]:
    """All tables except the public changes: triggers add these whenever the other rows are
    stored."""
    models = [m for m in apps.get_models(include_auto_created=True) if m is not PublicChange]
    return {model._meta.db_table: _table(model) for model in models if model._meta.managed}


def _table(model: type[Model]) -> _Table:
    quote = connection.ops.quote_name
    columns = [one.column for one in model._meta.local_concrete_fields if not one.generated]
    with connection.cursor() as cursor:
        names = ", ".join(map(quote, columns))
        cursor.execute(f"SELECT {names} FROM {quote(model._meta.db_table)}")
        return _Table(columns, cursor.fetchall())
