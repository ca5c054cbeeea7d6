"""Extracts the message catalogues in locale/ from the sources, merges and compiles them.

Needs GNU gettext; an installation does not. See docs/contributors/translations.md.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import polib

from scripts.environment import ROOT

LOCALE = ROOT / "locale"
LANGUAGES = ("ru", "zh_Hans")
TEMPLATE = "django.pot"
PROGRAMS = ("xgettext", "msguniq", "msgmerge", "msgattrib", "msgfmt")
# Directories with translated texts.
SOURCES = ("evaluation", "leaderboard", "templates")
PASSED_OVER = ("__pycache__", "migrations")
# Reproducible output: no line numbers, no wrapping, no obsolete texts.
OPTIONS = ("--keep-pot", "--no-obsolete", "--no-wrap", "--add-location=file")
HEADER = """\
# The texts of Assay, without translations. Written by scripts/translations.py.
msgid ""
msgstr ""
"Project-Id-Version: Assay\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"""


def main() -> int:
    if lacking := [name for name in PROGRAMS if shutil.which(name) is None]:
        return fail(
            f"GNU gettext is needed, and {', '.join(lacking)} cannot be found. "
            "On Debian or Ubuntu: apt-get install gettext."
        )
    with tempfile.TemporaryDirectory(prefix="assay-translations-") as directory:
        place = Path(directory)
        made = extract(place)
        if made is None:
            return fail("The texts could not be extracted from the sources; the reason is above.")
        shutil.copytree(made, LOCALE, dirs_exist_ok=True)
        if not django(place, "compilemessages"):
            return fail("A translation could not be compiled; the reason is above.")
        shutil.copytree(made, LOCALE, dirs_exist_ok=True)
    return tell()


def fail(sentence: str) -> int:
    print(f"translations: {sentence}", file=sys.stderr, flush=True)
    return 1


def extract(place: Path) -> Path | None:
    """A locale directory under `place` made from the sources; None if that fails.

    Works on a copy, because makemessages writes next to its sources.
    """
    for name in SOURCES:
        passed_over = shutil.ignore_patterns(*PASSED_OVER)
        shutil.copytree(ROOT / name, place / name, ignore=passed_over)
    made = place / "locale"
    shutil.copytree(LOCALE, made, ignore=shutil.ignore_patterns("*.mo", "*.pot"))
    languages = (f"--locale={language}" for language in LANGUAGES)
    if not django(place, "makemessages", *OPTIONS, *languages):
        return None
    for path in (made / TEMPLATE, *(path_of(one, made) for one in LANGUAGES)):
        path.write_text(steady(path.read_text("utf-8"), template=path.name == TEMPLATE), "utf-8")
    return made


def django(place: Path, *words: str) -> bool:
    """Runs a Django command in that directory, without our settings."""
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    command = [sys.executable, "-m", "django", *words]
    return subprocess.run(command, cwd=place, env=environment, check=False).returncode == 0


def path_of(language: str, locale: Path = LOCALE) -> Path:
    return locale / language / "LC_MESSAGES" / "django.po"


def steady(text: str, *, template: bool) -> str:
    """The catalogue's text without the parts that change with each run."""
    if template:
        return HEADER + text[text.index("\n\n") + 1 :]
    return re.sub(r'^"POT-Creation-Date: .*\n', "", text, flags=re.MULTILINE)


def catalogue(path: Path) -> polib.POFile:
    return polib.pofile(str(path))


def tell() -> int:
    """Prints the missing translations. Returns 1 if there are any."""
    left = 0
    for path in map(path_of, LANGUAGES):
        unfinished = [one for one in catalogue(path) if not one.translated()]
        left += len(unfinished)
        print(f"translations: {path.relative_to(ROOT)}: {len(unfinished)} to translate", flush=True)
        for one in unfinished:
            print(f"    {one.msgid!r}{' (fuzzy)' if one.fuzzy else ''}", flush=True)
    return 1 if left else 0


if __name__ == "__main__":
    raise SystemExit(main())
