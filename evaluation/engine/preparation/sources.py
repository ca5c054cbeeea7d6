"""Copies a project's sources from an operator's mirror, a URL or a tree to a local folder.

Names and commits come from datasets and are validated first. Submodules are not fetched."""

import hashlib
import os
import re
import shutil
import stat
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from evaluation.engine.errors import BenchmarkError, SandboxError
from evaluation.engine.preparation import texts as sentences
from evaluation.engine.preparation.options import Options
from evaluation.engine.records import Project
from evaluation.engine.sandbox.image_packages import as_root
from evaluation.engine.texts import said_by

GIT_SECONDS = 1800
# Maximum bytes of a text file; tasks use no larger ones, which count as data.
TEXT_MOST = 2**20
_PART = r"[A-Za-z0-9_][A-Za-z0-9_.+-]*"
_REPOSITORY = re.compile(rf"{_PART}/{_PART}")
_TREE = re.compile(rf"{_PART}(/{_PART})*")
_COMMIT = re.compile(r"[0-9a-f]{7,40}")
_URL = re.compile(r"[a-z+]+://|[\w.-]+@[\w.-]+:")
# Git runs no code of a repository on this host and uses no other transports.
_SETTINGS = (
    *("core.hooksPath=/dev/null", "core.fsmonitor=false", "protocol.allow=never"),
    *("protocol.https.allow=always", "protocol.http.allow=always", "protocol.ssh.allow=always"),
    *("protocol.git.allow=always", "protocol.file.allow=always", "gc.auto=0"),
    *("advice.detachedHead=false", "fetch.recurseSubmodules=false"),
)
_KEPT = ("PATH", "HOME", "TMPDIR", "SSH_AUTH_SOCK", "SSL_CERT_FILE", "SSL_CERT_DIR")
# Commit date of trees without a commit.
_LONG_AGO = "2000-01-01T00:00:00+00:00"
_LEFT_OUT = (".git", "__pycache__")
_SECRET = re.compile(r"(?<=://)[^/@\s]+@")


class GitFailed(Exception):
    """Git failed; the message is its reason."""


def validate(project: Project) -> None:
    """Raises BenchmarkError if the name of the repository, the commit or a file is invalid."""
    names = _REPOSITORY if project.commit else _TREE
    if not names.fullmatch(project.repository):
        raise BenchmarkError(f"{project.repository!r} is not the name of a repository.")
    if project.commit and not _COMMIT.fullmatch(project.commit):
        raise BenchmarkError(f"{project.commit!r} is not a commit: 7 to 40 hexadecimal digits.")
    for path in project.withheld:
        if not path or path.startswith("/") or {"", ".", ".."} & set(path.split("/")):
            raise BenchmarkError(f"{path!r} is not the path of a file in a repository.")


def name(project: Project) -> str:
    return project.repository.rpartition("/")[2]


def identity(project: Project, options: Options) -> str:
    """The commit, or the content hash of a tree without one. Raises BenchmarkError."""
    validate(project)
    if project.commit:
        return project.commit
    tree, hashed = _tree(project, options), hashlib.sha256()
    for path in _files(tree):
        mode = path.lstat().st_mode
        data = str(path.readlink()).encode() if path.is_symlink() else path.read_bytes()
        kind = "link" if path.is_symlink() else "program" if mode & stat.S_IXUSR else "file"
        digest = hashlib.sha256(data).hexdigest()
        hashed.update(f"{path.relative_to(tree).as_posix()}\0{kind}\0{digest}\n".encode())
    return hashed.hexdigest()


def checkout(project: Project, options: Options, folder: Path) -> None:
    """Writes the sources with a history of one commit: some builds take their version from git.
    Raises BenchmarkError that lists the places tried, SandboxError."""
    validate(project)
    if project.commit:
        date, tag = _fetched(project, options, folder)
    else:
        ignore = shutil.ignore_patterns(*_LEFT_OUT)
        tree = _tree(project, options)
        shutil.copytree(tree, folder, symlinks=True, dirs_exist_ok=True, ignore=ignore)
        date, tag = _LONG_AGO, ""
    by = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    for role in ("GIT_AUTHOR", "GIT_COMMITTER"):
        by |= {f"{role}_NAME": "assay", f"{role}_EMAIL": "assay", f"{role}_DATE": date}
    commands = [
        ["init", "--quiet"],
        ["add", "--all", "--force"],
        ["commit", "--quiet", "--no-verify", "--allow-empty", "-m", "sources"],
    ]
    if tag:
        commands.append(["update-ref", f"refs/tags/{tag}", "HEAD"])
    try:
        for command in commands:
            git(["-C", str(folder), *command], options, by)
    except GitFailed as failed:
        raise SandboxError(sentences.SOURCES_NOT_KEPT(reason=said_by(failed))) from None


def texts(folder: Path, withheld: tuple[str, ...]) -> dict[str, str]:
    """Text files and withheld files by path; bytes that are not UTF-8 are lone surrogates."""
    by_path = {}
    for path in _files(folder):
        relative = path.relative_to(folder).as_posix()
        if path.is_symlink() or (path.stat().st_size > TEXT_MOST and relative not in withheld):
            continue
        data = path.read_bytes()
        if relative in withheld or b"\0" not in data:
            by_path[relative] = data.decode("utf-8", "surrogateescape")
    return by_path


def packed(folder: Path, root: str) -> IO[bytes]:
    """The folder as a tar in an unnamed file. It unpacks to `root`, owned by root."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    try:
        with tarfile.open(fileobj=file, mode="w") as tar:
            tar.add(folder, arcname=root, filter=as_root)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file


def _files(folder: Path) -> Iterator[Path]:
    for entry in sorted(folder.iterdir()):
        if entry.name in _LEFT_OUT:
            continue
        if entry.is_symlink() or entry.is_file():
            yield entry
        elif entry.is_dir():
            yield from _files(entry)


def _tree(project: Project, options: Options) -> Path:
    if options.source_trees is None:
        raise BenchmarkError(
            f"{project.repository} has no commit, so its sources must be supplied: name the folder "
            "that holds them in ASSAY_SOURCE_TREES."
        )
    tree = options.source_trees / project.repository
    if not tree.is_dir():
        raise BenchmarkError(f"The sources of {project.repository} are missing: no folder {tree}.")
    return tree


def _fetched(project: Project, options: Options, folder: Path) -> tuple[str, str]:
    """Writes the tree of the commit. Returns the commit's date and the tag before it."""
    owner, _, name = project.repository.partition("/")
    tried = []
    for template in options.repositories:
        place = template.format(repository=project.repository, owner=owner, name=name)
        try:
            if _URL.match(place):
                with tempfile.TemporaryDirectory(prefix="assay-sources-") as scratch:
                    _download(place, project.commit, scratch, options)
                    return _written(Path(scratch), project.commit, folder, options)
            for directory in (Path(place) / ".git", Path(place)):
                if (directory / "objects").is_dir():
                    return _written(directory, project.commit, folder, options)
            raise GitFailed("there is no git repository")
        except GitFailed as failed:
            tried.append(_SECRET.sub("", f"{place}: {failed}"))
    raise BenchmarkError(
        f"The sources of {project.repository} at {project.commit} cannot be fetched. Tried "
        f"{'; '.join(tried)}. Name a mirror that has them in ASSAY_REPOSITORIES."
    )


def _download(url: str, commit: str, directory: str, options: Options) -> None:
    """Fetches only the commit if the server allows it, else all branches and tags."""
    git(["init", "--quiet", "--bare", "--", directory], options)
    fetch = [f"--git-dir={directory}", "fetch", "--quiet", "--no-tags"]
    try:
        if len(commit) < 40:
            raise GitFailed("a short name cannot be fetched")
        git([*fetch, "--depth=1", "--", url, commit], options)
    except GitFailed:
        every = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"]
        git([*fetch, "--", url, *every], options)


def _written(directory: Path, commit: str, folder: Path, options: Options) -> tuple[str, str]:
    """Does not use git archive, which omits files marked export-ignore."""
    at = f"--git-dir={directory}"
    try:
        full = git([at, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}"], options)
    except GitFailed:
        raise GitFailed("it has no such commit") from None
    with tempfile.TemporaryDirectory(prefix="assay-index-") as scratch:
        index = {"GIT_INDEX_FILE": str(Path(scratch) / "index")}
        git([at, "read-tree", full], options, index)
        git([at, f"--work-tree={folder}", "checkout-index", "-a", "-f"], options, index)
    date = git([at, "show", "--no-patch", "--format=%cI", full], options)
    try:
        tag = git([at, "describe", "--tags", "--abbrev=0", "--match=*[0-9]*", full], options)
    except GitFailed:
        tag = ""
    return date, tag


def git(words: list[str], options: Options, more: dict[str, str] | None = None) -> str:
    """Raises GitFailed with git's reason, SandboxError if git is not installed."""
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    # Proxy and certificate settings, and no others, such as GIT_DIR.
    environment = {
        name: value
        for name, value in os.environ.items()
        if name in _KEPT or name.startswith(("GIT_SSL_", "GIT_PROXY_SSL_"))
    }
    for name, value in options.network.proxies.items():
        environment |= {name: value, name.upper(): value}
    if options.network.ca_bundle is not None:
        environment["GIT_SSL_CAINFO"] = str(options.network.ca_bundle)
    environment |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "/bin/true"}
    try:
        done = subprocess.run(
            ["git", *settings, *words],
            env=environment | (more or {}),
            timeout=GIT_SECONDS,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        raise SandboxError(sentences.GIT_MISSING()) from None
    except subprocess.TimeoutExpired:
        raise GitFailed(sentences.GIT_SLOW(seconds=GIT_SECONDS)) from None
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        reasons = [line for line in lines if line.startswith(("fatal: ", "error: "))]
        reason = (reasons or lines or [""])[-1].removeprefix("fatal: ")
        raise GitFailed(reason or sentences.GIT_EXITED(code=done.returncode))
    return done.stdout.decode("utf-8", "replace").strip()
