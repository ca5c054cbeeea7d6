"""Assembles a Python 3.11 that runs on any base, from the Python that runs this program.

Runs as a program in a container of our sandbox image (sandbox.interpreter sends its text), so it
imports nothing of Assay; its arguments are the directory to fill and one of packages for it. The
loader, all libraries and Python's standard library are in that directory, next to the interpreter.
"""

from __future__ import annotations

import compileall
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

# Not needed by a supervisor, and a third of the library.
LEFT_OUT = (
    "config-*",
    "ctypes",
    "curses",
    "dbm",
    "distutils",
    "ensurepip",
    "idlelib",
    "lib2to3",
    "pydoc_data",
    "sqlite3",
    "test",
    "tests",
    "tkinter",
    "turtle*",
    "venv",
    "wsgiref",
    "xmlrpc",
    "*.txt",
    "EXTERNALLY-MANAGED",
    "sitecustomize*",
    "lib-dynload",
)
# Loaded by the C library when a thread ends, so the loader does not list it.
AT_A_THREADS_END = "libgcc_s.so.1"
EMPTY_SITE = "# Empty, so that nothing of the base's own Python is ever found.\n"


def needs(program: str | Path) -> dict[str, str]:
    """The paths of the program's libraries and of its loader, as the loader finds them, by name."""
    said = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    paths = re.findall(r"(/\S+) \(0x", said)
    return {path.rpartition("/")[2]: path for path in paths}


def put_interpreter(target: Path) -> dict[str, str]:
    """Copies the program, its loader and its libraries. Returns what the program needs."""
    paths = needs(sys.executable)
    libraries = target / "lib"
    (target / "bin").mkdir(parents=True)
    libraries.mkdir()
    shutil.copy(sys.executable, target / "bin/python3.11")
    for name, path in paths.items():
        shutil.copy(path, target / "ld.so" if name.startswith("ld-") else libraries / name)
    shutil.copy(Path(paths["libc.so.6"]).with_name(AT_A_THREADS_END), libraries)
    return paths


def put_library(target: Path, paths: dict[str, str]) -> None:
    """Copies the standard library with its byte code; without modules that need further
    libraries."""
    source = Path(sysconfig.get_path("stdlib"))
    library = target / "lib/python3.11"
    shutil.copytree(source, library, symlinks=False, ignore=shutil.ignore_patterns(*LEFT_OUT))
    (library / "lib-dynload").mkdir()
    for module in (source / "lib-dynload").glob("*.so"):
        if needs(module).keys() <= paths.keys():
            shutil.copy(module, library / "lib-dynload")
    for stale in (library / "__pycache__").glob("site.*"):
        stale.unlink()
    (library / "site.py").write_text(EMPTY_SITE)


def put_packages(target: Path, packages: Path) -> None:
    """Copies packages and their licences, and adds byte code."""
    for package in packages.iterdir():
        copy = target / "lib/python3.11" / package.name
        shutil.copytree(package, copy)
        compileall.compile_dir(copy, quiet=2)


if __name__ == "__main__":
    put_library(Path(sys.argv[1]), put_interpreter(Path(sys.argv[1])))
    put_packages(Path(sys.argv[1]), Path(sys.argv[2]))
