"""What the sandbox image for Java is made of: Debian's JDK, and programs of our own.

Those are a compiler that stays warm, and the harness that a candidate's JVM starts in. They
are compiled while the image is made, so that archives of loaded classes hold them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from evaluation.engine.records import Json

HERE = Path(__file__).parent
BUILD_SCRIPT = HERE / "java_image_build.sh"
SOURCES = HERE / "java"


def recipe() -> dict[str, Json]:
    """What decides what is in it beside the base, but for the versions of Debian's packages."""
    return {"build": BUILD_SCRIPT.read_text(), "sources": dict(_texts())}


def build_files() -> Mapping[str, str]:
    """The texts of the build directory by their paths."""
    return {"build.sh": BUILD_SCRIPT.read_text()} | {
        f"java/{path}": text for path, text in _texts().items()
    }


def _texts() -> dict[str, str]:
    files = sorted(path for path in SOURCES.rglob("*.*") if path.suffix in (".java", ".txt", ".py"))
    return {path.relative_to(SOURCES).as_posix(): path.read_text() for path in files}
