"""Database triggers that record public changes, whatever code or person makes them.

Each change adds a row. A single counter would make transactions wait for each other, and they could
deadlock.
"""

from typing import Any

from django.db import connections
from django.db.migrations.state import StateApps

from leaderboard.leases import Leased

# Models that public pages show. Others change only together with one of these: a verdict with its
# evaluation, a result of a task with its score, a generation with its submission, counts of a
# rechecked task with a recheck, and a row of an edition with its edition.
WATCHED = (
    "accounts.Team",
    "accounts.Entrant",
    "annotation.Campaign",
    "benchmarks.Benchmark",
    "benchmarks.Revision",
    "benchmarks.Task",
    "benchmarks.TaskExclusion",
    # Stored after their boards, with tests that pages do not make.
    "boards.ColumnMeans",
    "evaluation.Evaluation",
    "evaluation.Recheck",
    "evaluation.ReferenceVerdict",
    "evaluation.Review",
    "scores.Board",
    "scores.Edition",
    "scores.Receipt",
    "scores.ReceiptKey",
    "scores.Score",
    "scores.Standing",
    "submissions.Consent",
    "submissions.Declaration",
    "submissions.LedgerEntry",
    "submissions.Submission",
    # An upload changes how many declared runs have no file, which boards count.
    "submissions.Upload",
    "submissions.Provenance",
)
# Updates of its other columns change no page.
SHOWN_COLUMNS = {"evaluation.Recheck": ("finished",)}
MOST_CHANGES = 1000

_RECORDED = """
    INSERT INTO {changes} (id) VALUES ({next_id});
    DELETE FROM {changes} WHERE id IN (
        SELECT id FROM {changes}
        WHERE id <= (SELECT MAX(id) FROM {changes}) - {most} ORDER BY id LIMIT 20{skip_locked}
    );
"""
_FUNCTION = """
    CREATE OR REPLACE FUNCTION record_public_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN {recorded} RETURN NULL; END $$
"""
_ON_POSTGRESQL = """
    CREATE TRIGGER {name} AFTER {event} ON {table}
    FOR EACH ROW EXECUTE FUNCTION record_public_change()
"""
_ON_SQLITE = "CREATE TRIGGER {name} AFTER {event} ON {table} BEGIN {recorded} END"


def install(*, using: str, apps: StateApps | None = None, **_signal: Any) -> None:
    """Replaces the triggers after each migration: SQLite drops them with a table that it remakes,
    and a model may have new columns. `apps` are the models as they were migrated; `manage.py flush`
    sends the signal without them and keeps the triggers."""
    if apps is None:
        return
    connection = connections[using]
    quote, on_postgresql = connection.ops.quote_name, connection.vendor == "postgresql"
    try:
        changes = apps.get_model("pages", "PublicChange")._meta.db_table
        watched = [apps.get_model(label) for label in WATCHED]
    except LookupError:
        return
    recorded = _RECORDED.format(
        changes=quote(changes),
        most=MOST_CHANGES,
        next_id="DEFAULT" if on_postgresql else "NULL",
        skip_locked=" FOR UPDATE SKIP LOCKED" if on_postgresql else "",
    )
    create, drop = (_ON_POSTGRESQL, " ON {table}") if on_postgresql else (_ON_SQLITE, "")
    # Updates of lease columns are not recorded: they come every few seconds, and no page shows
    # them.
    leased = {field.name for field in Leased._meta.fields}
    with connection.cursor() as cursor:
        if on_postgresql:
            cursor.execute(_FUNCTION.format(recorded=recorded))
        for model in watched:
            table, fields = model._meta.db_table, model._meta.concrete_fields
            names = SHOWN_COLUMNS.get(model._meta.label) or {f.name for f in fields} - leased
            columns = (f.column for f in fields if f.name in names)
            updated = f"UPDATE OF {', '.join(map(quote, columns))}"
            events = {"insert": "INSERT", "update": updated, "delete": "DELETE"}
            for word, event in events.items():
                values = {"name": quote(f"public_{table}_{word}"), "table": quote(table)}
                cursor.execute(f"DROP TRIGGER IF EXISTS {{name}}{drop}".format(**values))
                cursor.execute(create.format(event=event, recorded=recorded, **values))
