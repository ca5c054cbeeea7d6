"""A project's tree in real containers: unchanged, kept from the candidate, and isolated."""

# Programs and tests read best in a line each.
# ruff: noqa: E501

import os
import platform
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.engine.errors import SandboxError
from evaluation.engine.records import Json, Prepared
from evaluation.engine.sandbox.fresh import Fresh
from evaluation.engine.sandbox.inside import trees
from tests.support.projects import LIMITS, MTIME, configured, outcome, prepared, run

pytestmark = pytest.mark.docker
PYTEST = "python3 -m pytest -q -p no:cacheprovider tests"
MODULE = "def twice(x):\n    return x + x\n"
TESTS = "from module import twice\n\n\ndef test_twice():\n    assert twice(2) == 4\n"


def shape(root: Path) -> None:
    (root / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (root / "run.sh").chmod(0o755)
    (root / "link").symlink_to("data/values.txt")
    (root / "data/private.txt").chmod(0o600)
    (root / os.fsdecode(b"odd-\xff.txt")).write_bytes(b"\xff\0")
    (root / "tests/linked").symlink_to("../data")


@pytest.fixture(scope="module")
def project() -> Prepared:
    files = {
        "module.py": "raise ImportError  # what the pack holds\n",
        "tests/test_module.py": "raise ImportError  # what the pack holds\n",
        "data/values.txt": "values\n",
        "data/private.txt": "private\n",
        "old.py": "",
    }
    return prepared(files, shape=shape)


@pytest.fixture(scope="module")
def sandbox(project: Prepared) -> Iterator[Fresh]:
    with Fresh(project, LIMITS) as opened:
        yield opened


def said(sandbox: Fresh, program: str) -> str:
    """The output of a Python program that runs in the tree."""
    return outcome(sandbox, run("python3 program.py", {"program.py": program})).output


def report_on(sandbox: Fresh, module: str, tests: str = TESTS) -> dict[str, list[str]]:
    """How each of the tests ended with that module, in one run, and why."""
    files = {"module.py": module, "tests/test_module.py": tests}
    report: Any = outcome(sandbox, run(PYTEST, files)).report
    assert report["complete"] is True
    return {name.partition("::")[2]: found for name, found in report["tests"].items()}


SPOILS = {
    "edits": "open('tests/test_module.py', 'w').write('def test_twice(): pass')",
    "deletes": "os.unlink('tests/test_module.py')",
    "moves": "os.rename('tests/test_module.py', 'tests/x.py')",
    "replaces": "open('tests/new', 'w').close(); os.rename('tests/new', 'tests/test_module.py')",
    "opens to all": "os.chmod('tests/test_module.py', 0o666)",
    "moves the folder": "os.rename('tests', 'other')",
    "opens the folder": "os.chmod('tests', 0o777)",
    "adds byte code": "open('tests/__pycache__/test_module.cpython-311.pyc', 'w').close()",
    "moves byte code": "os.rename('tests/__pycache__', 'tests/other')",
    "changes the reporter": "open('/judge/assay_report/__init__.py', 'w').close()",
    "adds to the reporter": "open('/judge/assay_report/json.py', 'w').close()",
    "answers for the runner": "os.open('/judge/answer', os.O_WRONLY)",
    "replaces the channel": "os.unlink('/judge/report')",
    "writes outside": "open('/usr/lib/python3/dist-packages/x.pth', 'w').close()",
    "deletes data": "os.unlink('data/values.txt')",
    "opens private data": "open('data/private.txt', 'a')",
}  # fmt: skip
SPOILER = f"""
import errno, os
SPOILS = {SPOILS}
def twice(x, spoil):
    try: exec(SPOILS[spoil])
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EACCES, errno.EROFS): raise
        return 0
    return x + x
"""
SPOILED = f"""
import pytest
from module import twice

@pytest.mark.parametrize("spoil", {[*SPOILS]})
def test_twice(spoil):
    assert twice(2, spoil) == 4
"""


def test_what_tests_are_read_from_and_compare_with_cannot_be_spoilt(sandbox: Fresh) -> None:
    """If a manipulation were not refused, its test would pass or fail with another error."""
    expected = {
        f"test_twice[{spoil}]": ["failed", "AssertionError: assert 0 == 4"] for spoil in SPOILS
    }
    assert report_on(sandbox, SPOILER, SPOILED) == expected


def test_files_can_be_added(sandbox: Fresh) -> None:
    module = (
        "import os\ndef twice(x):\n    open('tests/new.py', 'w').close()\n    os.mkdir('made')\n"
        "    open('data/new.txt', 'a').close()\n    return x + x\n"
    )
    assert report_on(sandbox, module) == {"test_twice": ["passed", ""]}


@pytest.mark.parametrize(
    "path", ["../x", "/etc/x", "a/../../x", "tests/./x", "a//b", "", "a\0b", "a\ud800"], ids=ascii
)
def test_what_is_no_plain_path_below_the_root_is_an_error(path: str) -> None:
    with pytest.raises(ValueError):
        trees._parts(path)


@pytest.mark.parametrize("path", ["../x", "tests/linked/x", "link/x", "data"])
def test_a_path_that_leads_elsewhere_is_refused(sandbox: Fresh, path: str) -> None:
    with pytest.raises(SandboxError, match="cannot be written"):
        outcome(sandbox, run("true", {path: "text"}))


def test_bytes_that_are_no_text_arrive_as_they_are(sandbox: Fresh) -> None:
    files = {
        "data/bytes": "a\udcff\udc80\r\nж",
        "new/er/b": "b",
        "link": "own",
        "old.py": None,
        "none.py": None,
    }
    found = outcome(
        sandbox, run("cat data/bytes | od -An -tx1; cat new/er/b link data/values.txt; ls", files)
    )
    assert found.output.splitlines() == [" 61 ff 80 0d 0a d0 b6", "bownvalues", *sorted(
        ["data", "link", "module.py", "new", "odd-\ufffd.txt", "run.sh", "tests", "__pycache__"]
    )]  # fmt: skip


def test_undecodable_sources_are_tests_like_others(sandbox: Fresh) -> None:
    latin = "# coding: latin-1\n" + MODULE + "WORD = 'caf\udce9'\n"
    tests = (
        TESTS.replace("import twice", "import twice, WORD") + "    assert WORD == 'caf\\u00e9'\n"
    )
    assert report_on(sandbox, latin, tests) == {"test_twice": ["passed", ""]}


TREE = """
import os
for path in ("run.sh", "module.py", "data/values.txt", "data/private.txt", "tests", b"odd-\\xff.txt"):
    found = os.stat(path)
    print(path, oct(found.st_mode & 0o7777), found.st_mtime_ns, found.st_uid == os.getuid())
print(os.readlink("link"), open("link").read(), os.popen("./run.sh").read(), os.getcwd())
"""


def test_the_tree_is_as_it_was_packed(sandbox: Fresh) -> None:
    assert said(sandbox, TREE).splitlines() == [
        f"run.sh 0o755 {MTIME} False",
        f"module.py 0o644 {MTIME} False",
        f"data/values.txt 0o644 {MTIME} False",
        f"data/private.txt 0o644 {MTIME} False",
        f"tests 0o1777 {MTIME} False",
        f"b'odd-\\xff.txt' 0o644 {MTIME} False",
        "data/values.txt values",
        " ran",
        " /workspace/project",
    ]


def test_the_environment_is_the_images_and_what_makes_runs_alike(sandbox: Fresh) -> None:
    found = outcome(sandbox, run("env | sort; umask; cat /dev/stdin; ls $HOME/.m2/repository"))
    assert found.output.splitlines() == [
        "FROM_IMAGE=yes",
        "HOME=/work/home",
        "LANG=C.UTF-8",
        "LOGNAME=assay",
        "PATH=/usr/local/bin:/usr/bin:/bin",
        "PWD=/workspace/project",
        "PYTEST_ADDOPTS=-p assay_report",
        "PYTHONDONTWRITEBYTECODE=1",
        "PYTHONHASHSEED=0",
        "PYTHONPATH=.:/judge",
        "TMPDIR=/tmp",
        "TZ=UTC",
        "USER=assay",
        "0022",
        "artifact",
    ]


SYSTEM = """
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
def tried(*arguments):
    return libc.syscall(*arguments) != -1 or ctypes.get_errno() != 1
calls = dict(ptrace=(101, 0), vm_read=(310, os.getpid(), 0, 0, 0, 0, 0), io_uring=(425, 1, 0), mount=(165, 0, 0, 0, 0, 0),
             unshare=(272, 0x10000000), keyctl=(250, 0), bpf=(321, 0), perf=(298, 0), shmget=(29, 0, 1, 0o1600), mq=(240, 0, 0, 0, 0))
print([name for name, call in calls.items() if tried(*call)])
def socket_of(*kind):
    try: socket.socket(*kind)
    except OSError: return False
    return True
print([family for family in range(1, 46) if socket_of(family, socket.SOCK_STREAM) or socket_of(family, socket.SOCK_DGRAM)])
print(socket_of(socket.AF_INET, socket.SOCK_RAW, 1), socket_of(socket.AF_INET6, socket.SOCK_RAW, 58))
print(os.access("/opt/assay/tree.pack", os.R_OK), os.path.exists("/var/run/docker.sock"))
print(open("/proc/self/status").read().split("CapEff:")[1].split()[0], open("/proc/self/status").read().split("NoNewPrivs:")[1].split()[0])
try: os.setuid(0)
except OSError: print("refused")
"""


# The numbers of the system calls are those of x86_64.
@pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of system calls")
def test_what_is_dangerous_stays_refused(sandbox: Fresh) -> None:
    assert said(sandbox, SYSTEM).splitlines() == [
        "[]",
        "[1, 2, 10]",
        "False False",
        "False False",
        "0000000000000000 1",
        "refused",
    ]


STEALS = """
import os
found = []
for pid in filter(str.isdigit, os.listdir("/proc")):
    for name in ("mem", "fd", "environ"):
        try:
            path = f"/proc/{pid}/{name}"
            os.listdir(path) if name == "fd" else open(path, "rb+" if name == "mem" else "rb").close()
            found.append(open(f"/proc/{pid}/cmdline").read().split("\\0")[0])
        except OSError: pass
print(sorted(set(found)))
try: os.open("/judge/report", os.O_RDONLY)
except PermissionError: print("refused")
"""


def test_our_processes_and_the_channel_are_shut(sandbox: Fresh) -> None:
    # Its own process, and the shell's unless the shell became it.
    assert said(sandbox, STEALS) in ("['python3', 'sh']\nrefused\n", "['python3']\nrefused\n")


def test_what_an_image_starts_by_itself_is_not_started_and_its_volumes_are_small(
    project: Prepared,
) -> None:
    settings: dict[str, Json] = {
        "Entrypoint": ["/bin/false"],
        "Volumes": {"/data": {}},
        "User": "nobody",
    }
    with Fresh(configured(project, settings), LIMITS) as fresh:
        found = outcome(fresh, run("grep ' /data ' /proc/mounts; touch /data/x 2>&1"))
    mount, refused = found.output.splitlines()
    assert mount.startswith("tmpfs /data tmpfs rw,nosuid,nodev,noexec") and "size=1024k" in mount
    assert "Permission denied" in refused


# Looks for a text of the tests without the process that runs them.
SEARCHES = {
    "reads it": "open('tests/test_module.py').read()",
    "reads a helper": "open('tests/helper.py').read()",
    "reads a conftest": "open('conftest.py').read()",
    "searches the tree": "subprocess.run('grep -rl SECRET . /judge /opt /tmp /usr/local', shell=True, capture_output=True, text=True).stdout",
    "asks for its source": "inspect.getsource(sys.modules['test_module'].test_twice)",
    "asks for lines": "''.join(linecache.getlines('tests/test_module.py', vars(sys.modules['test_module'])))",
    "asks the loader": "sys.modules['test_module'].__loader__.get_data('tests/test_module.py').decode()",
    "opens it to all": "os.chmod('tests/test_module.py', 0o644) or open('tests/test_module.py').read()",
    "links to it": "os.link('tests/test_module.py', '/tmp/copy') or open('/tmp/copy').read()",
    "reads its parent's memory": "subprocess.run(['head', '-c0', f'/proc/{os.getpid()}/mem'], check=True) and 'SECRET'",
    "compiles it": "py_compile.compile('tests/test_module.py', '/tmp/copy.pyc', doraise=True) and str(open('/tmp/copy.pyc', 'rb').read())",
}
SEARCHING = f"""
import inspect, json, linecache, os, py_compile, subprocess, sys
def searched():
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    found = {{}}
    for name, search in {SEARCHES!r}.items():
        try:
            found[name] = "SECRET" in eval(search)
        except (OSError, subprocess.CalledProcessError, py_compile.PyCompileError):
            found[name] = False
    return found
"""
HIDING = {
    "module.py": "",
    "conftest.py": "import pytest\n@pytest.fixture\ndef secret():\n    return 'SECRET'\n",
    "tests/helper.py": "def check(found):\n    assert found == 'SECRET'\n",
    "tests/test_module.py": "import helper\nimport module\n\n\ndef test_twice(secret):\n    helper.check(secret)\n    assert not any(module.searched().values()), module.searched()\n",
    "pytest.ini": "[pytest]\n",
    "tests/test_long.py": f"def test_long():\n    assert {'x' * 300_000!r}\n",
}


@pytest.mark.parametrize(
    ("command", "hides"),
    [(PYTEST, False), (PYTEST, True), (f"cd tests && {PYTEST[:-5]} -n 2", True)],
)
def test_the_text_of_hidden_tests_is_nowhere(command: str, hides: bool) -> None:
    paths: list[Json] = [path for path in HIDING if path.endswith(".py") and path != "module.py"]
    execution = run(command, {"module.py": SEARCHING})
    payload = {**execution.payload, "hidden": paths if hides else []}
    with Fresh(prepared(HIDING), LIMITS) as sandbox:
        found: Any = outcome(sandbox, replace(execution, payload=payload)).report
    assert found["complete"] is True
    assert found["tests"]["tests/test_long.py::test_long"] == ["passed", ""]
    ended, message = found["tests"]["tests/test_module.py::test_twice"]
    assert ended == ("passed" if hides else "failed"), message
