"""The repositories and commits from which tasks of CodeIF-Bench L-2 and L-3 were cut, and the names
of their reference solutions that are not found."""

import csv
from pathlib import Path
from typing import NamedTuple


class Cut(NamedTuple):
    """The tasks that a repository has at a commit."""

    repository: str
    commit: str
    tasks: tuple[str, ...]


def _cuts() -> tuple[Cut, ...]:
    tasks: dict[tuple[str, str], tuple[str, ...]] = {}
    with Path(__file__).with_name("data").joinpath("codeif_cuts.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            place = row["repository"], row["commit"]
            tasks[place] = (*tasks.get(place, ()), row["task"])
    return tuple(Cut(*place, names) for place, names in tasks.items())


CUTS = _cuts()
# The dataset's `code` of these tasks is not their function: its lines are shifted.
SHIFTED = (
    "datasette.utils.asgi.Request.fake",
    "datasette.utils.asgi.Response.redirect",
    "gunicorn.config.Config.logger_class",
)
# Why a name of a reference solution is not found. By task, then by name without the module.
LOADED = "the class is loaded at run time, by an entry point"
BY_STRING = "the class is chosen at run time, by a name in a string"
BY_DEFAULT = "the default chooses another class of the mapping, whose method is found"
MISSED = {
    "mopidy.ext.load_extensions": {
        "mopidy.ext.Extension.dist_name": LOADED,
        "mopidy.ext.Extension.get_command": LOADED,
        "mopidy.ext.Extension.get_config_schema": LOADED,
        "mopidy.ext.Extension.get_default_config": LOADED,
        "mopidy.ext.Extension.version": LOADED,
    },
    "boto.s3.connection.S3Connection.generate_url_sigv4": {
        "boto.auth.S3HmacAuthV4Handler.presign": BY_STRING,
        "boto.s3.connection._CallingFormat.build_auth_path": BY_STRING,
        "boto.s3.connection._CallingFormat.build_host": BY_STRING,
        "boto.s3.connection._CallingFormat.build_path_base": BY_STRING,
    },
    "playhouse.dataset.DataSet.freeze": {"playhouse.dataset.TSVExporter.export": BY_DEFAULT},
}
