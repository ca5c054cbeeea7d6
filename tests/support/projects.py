"""Prepared projects for tests: small trees in images, like those that the preparation makes.

They are made from the Python sandbox image, whose Python also replaces the project's own; pytest is
the version that runs these tests, with its dependencies."""

import hashlib
import importlib.metadata
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from evaluation.engine.projects.suite import first_watch
from evaluation.engine.records import Execution, Json, Limits, Outcome, Prepared, Project
from evaluation.engine.sandbox import docker, images, interpreter, layout
from evaluation.engine.sandbox.fresh import Fresh
from evaluation.engine.sandbox.inside import packing
from tests.support.tars import tar_of

ROOT = f"{layout.WORKSPACE}/project"
NAME = "assay-test-project"
LIMITS = Limits(cpu_seconds=60, memory=2560 * 2**20, pids=256, open_files=1024)
MTIME = 1_600_000_000_123_456_789
PACKAGES = "/usr/local/lib/python3.11/dist-packages"
DISTRIBUTIONS = (
    "pytest",
    "pluggy",
    "iniconfig",
    "packaging",
    "pygments",
    "pytest-xdist",
    "execnet",
)
# Installs the layout's interpreter, a copy of Debian's. It compiles pytest beforehand, because runs
# write no byte code and would compile it each time.
_LAYER = f"""
set -e
python3 -m compileall -q {PACKAGES}
to=/opt/assay/python
mkdir -p $to/bin $to/lib
cp /usr/bin/python3.11 $to/bin/
# With times, or the byte code would be stale.
cp -a /usr/lib/python3.11 $to/lib/
python3 -m compileall -q $to/lib/python3.11/jedi $to/lib/python3.11/parso
for file in /usr/bin/python3.11 /usr/lib/python3.11/lib-dynload/*.so; do
    ldd $file | awk '$3 ~ "^/" {{print $3}}'
done | sort -u | while read path; do cp -L $path $to/lib/; done
cp -L $(ldd /usr/bin/python3.11 | awk '$1 ~ "^/" {{print $1}}') $to/ld.so
mkdir -p /opt/assay/home/.m2/repository /usr/local/bin
echo kept > /opt/assay/home/.m2/repository/artifact
"""


def prepared(tree: Mapping[str, str], *, shape: Callable[[Path], None] | None = None) -> Prepared:
    """An image of the project that these files make; `shape` may change the folder further."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "project")
        root.mkdir()
        for path, text in tree.items():
            place = root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, errors="surrogateescape")
        if shape is not None:
            shape(root)
        _date(root)
        packed = Path(folder, "tree.pack")
        taken = packing.pack(str(root), str(packed))
        content = packed.read_bytes()
    reference = f"{NAME}:{_hash(content)}"
    digest = _image(reference, content)
    project = Project("tests/project", "", "python", "")
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "FROM_IMAGE": "yes"}
    return Prepared(
        project,
        key=reference,
        image=reference,
        digest=digest,
        base="",
        root=ROOT,
        tree_bytes=taken["bytes"],
        texts=dict(tree),
        environment=environment,
    )


def run(
    command: str,
    files: Mapping[str, str | None] | None = None,
    report: str = "pytest",
    *,
    control: bool = False,
) -> Execution:
    """One run in a project's tree."""
    told: dict[str, Json] = {"files": dict(files or {}), "command": command, "report": report}
    told["watch"] = {**first_watch(), "control": control}
    return Execution("repository", told, LIMITS)


def outcome(sandbox: Fresh, execution: Execution) -> Outcome:
    (found,) = sandbox.run_all([execution])
    return found


def _date(root: Path) -> None:
    """Sets fixed times, so that the pack, and so the image, is the same every time."""
    for place in (root, *root.rglob("*")):
        os.utime(place, ns=(MTIME, MTIME), follow_symlinks=False)


def configured(project: Prepared, settings: Mapping[str, Json]) -> Prepared:
    """The project in an image with changed settings, as a base may bring them."""
    reference = f"{NAME}:{_hash(json.dumps([project.image, settings]).encode())}"
    digest = _known(reference) or _made(project.image, reference, {}, "true", settings)
    return replace(project, image=reference, digest=digest)


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _image(reference: str, pack: bytes) -> str:
    return _known(reference) or _made(_base(), reference, {layout.PACK: pack}, "true")


def _known(reference: str) -> str | None:
    """The digest of the image with this name; None if there is none."""
    listed = docker.client().api.images(reference)
    return str(listed[0]["Id"]) if listed else None


@cache
def _base() -> str:
    """An image with our interpreter in addition to the project's, and pytest for the latter."""
    python = images.ensure(docker.client())
    distributions = _distributions()
    recipe = json.dumps([python.digest, _LAYER, sorted(distributions)])
    reference = f"{NAME}-base:{_hash(recipe.encode())}"
    return _known(reference) or _made(python.reference, reference, distributions, _LAYER)


def _distributions() -> dict[str, bytes]:
    found = [importlib.metadata.distribution(name) for name in DISTRIBUTIONS]
    library = "/opt/assay/python/lib/python3.11"
    ours = {f"{library}/{path}": text.encode() for path, text in interpreter.packages().items()}
    return ours | {
        f"{PACKAGES}/{path}": Path(str(path.locate())).read_bytes()
        for distribution in found
        for path in distribution.files or ()
        if path.suffix != ".pyc" and ".." not in path.parts
    }


def _made(
    image: str,
    reference: str,
    content: Mapping[str, bytes],
    script: str,
    settings: Mapping[str, Json] | None = None,
) -> str:
    """An image with these files (mode 0600 for packs), after the script has run."""
    api = docker.client().api
    container = api.create_container(image, ["sh", "-c", script], entrypoint=[], user="0")["Id"]
    try:
        mode = 0o600 if layout.PACK in content else 0o644
        api.put_archive(container, "/", tar_of(content, mode))
        api.start(container)
        assert api.wait(container)["StatusCode"] == 0, api.logs(container).decode()
        name, _, tag = reference.partition(":")
        return str(api.commit(container, name, tag, conf={"Cmd": ["sh"], **(settings or {})})["Id"])
    finally:
        api.remove_container(container, force=True, v=True)
