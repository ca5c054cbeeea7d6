"""The contents of the sandbox image for Java: Debian's JDK and our own programs.

The programs are a compiler that stays warm and the harness that starts a candidate's JVM. They are
compiled while the image is made, so that archives of loaded classes hold them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from evaluation.engine.records import Json

HERE = Path(__file__).parent
BUILD_SCRIPT = HERE / "java_image_build.sh"
SOURCES = HERE / "java"


def recipe() -> dict[str, Json]:
    """The inputs of the image besides its base, except for the versions of Debian's packages."""
    return {"build": BUILD_SCRIPT.read_text(), "sources": dict(_texts())}


def build_files() -> Mapping[str, str]:
    """The texts of the build directory by path."""
    return {"build.sh": BUILD_SCRIPT.read_text()} | {
        f"java/{path}": text for path, text in _texts().items()
    }


def _texts() -> dict[str, str]:
    files = sorted(path for path in SOURCES.rglob("*.*") if path.suffix in (".java", ".txt", ".py"))
    return {path.relative_to(SOURCES).as_posix(): path.read_text() for path in files}
