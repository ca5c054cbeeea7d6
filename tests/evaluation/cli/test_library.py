"""The engine is a library: it works without the web packages."""

from __future__ import annotations

import subprocess
import sys

from tests.support.commands import ROOT

_IMPORT_ALL = """
import importlib, importlib.abc, pkgutil, sys

class Blocked(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in %r:
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
try:
    import django
except ImportError:
    import evaluation.cli
    import evaluation.engine as engine
    found = [m.name for m in pkgutil.walk_packages(engine.__path__, "evaluation.engine.")]
    for name in found:
        importlib.import_module(name)
    print(len(found))
"""
WEB = ("django", "django_rq", "rq", "redis", "pandas", "plotly", "leaderboard")


def test_every_module_of_the_engine_imports_without_the_web() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _IMPORT_ALL % (WEB,)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 30
