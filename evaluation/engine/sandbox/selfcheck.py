"""The conformance list: attacks that any sandbox must survive. If a claim fails on a host, do not
judge anything there."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import chain
from textwrap import indent

from evaluation.engine.errors import SandboxGone
from evaluation.engine.records import Execution, Json, Limits, Outcome, Stop
from evaluation.engine.sandbox import images
from evaluation.engine.sandbox.session import Session

LIMITS = Limits(cpu_seconds=2.0)
# A long wall limit for busy hosts: these probes test processor time only.
_PATIENT = replace(LIMITS, cpu_seconds=1.0, wall_factor=60.0)

_PRELUDE = """
import ctypes, errno, os, resource, signal, socket, subprocess, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def refused(call, *arguments):
    try:
        call(*arguments)
    except (OSError, ValueError):
        return "refused"
    return "allowed"
def syscall(number, *arguments):
    # Another error comes from a call that the filter let through.
    if libc.syscall(number, *arguments) == -1 and ctypes.get_errno() in (errno.EPERM, errno.ENOSYS):
        raise OSError(ctypes.get_errno(), "")
"""
Tell = Callable[[str], object]
# An image's own list is in the module selfcheck_<name>; these have others. Projects' images get
# their interpreter from the image for Python.
_LISTS = {"python": ("selfcheck", "selfcheck_projects")}


@dataclass(frozen=True, slots=True)
class Check:
    claim: str
    held: bool
    seen: str = ""


@dataclass(frozen=True, slots=True)
class Probe:
    """An execution that tries something. `held` says whether the claim holds by its outcome."""

    claim: str
    execution: Execution
    held: Callable[[Outcome], bool]


def tried(
    image: str,
    probes: Iterable[Probe],
    runtime: str | None = None,
    *,
    limits: Limits = LIMITS,
    runners: Iterable[str] = ("calls",),
) -> Iterator[Check]:
    """Runs the probes in one container. Raises SandboxError if it does not start."""
    with Session(image, limits, runners=runners, runtime=runtime) as session:
        for probe in probes:
            try:
                outcome = session.run(probe.execution)
            except SandboxGone as gone:
                yield Check(probe.claim, False, str(gone))
                return
            yield Check(probe.claim, probe.held(outcome), str(outcome))


def stopped(reason: Stop) -> Callable[[Outcome], bool]:
    return lambda outcome: outcome.stop is reason


def calling(
    claim: str,
    body: str,
    expected: str = "refused",
    *,
    limits: Limits = LIMITS,
    held: Callable[[Outcome], bool] | None = None,
) -> Probe:
    """A call of a Python function with this body. The claim holds if it returns `expected`, unless
    `held` decides."""
    payload: dict[str, Json] = {
        "program": f"{_PRELUDE}\ndef probe():\n{indent(body.strip(), '    ')}\n",
        "entry_point": "probe",
        "tests": [["d", 0, []]],
    }

    def returned(outcome: Outcome) -> bool:
        return (outcome.report or {}).get("results") == [["value", expected]]

    return Probe(claim, Execution("calls", payload, limits), held or returned)


# x86_64 system call numbers.
_CALLS = (
    ("io_uring", 425, "8, ctypes.create_string_buffer(256)"),
    ("ptrace", 101, "16, os.getppid(), 0, 0"),
    ("process_vm_readv", 310, "os.getppid(), 0, 0, 0, 0, 0"),
    ("mount", 165, "b'none', b'/tmp', b'tmpfs', 0, 0"),
    ("unshare", 272, "0x10000000"),
    ("System V shared memory", 29, "0, 4096, 0o1600"),
    ("POSIX message queues", 240, "b'q', 0o102, 0o600, 0"),
    ("keyrings", 250, "0, -3, 1"),
    ("bpf", 321, "0, 0, 0"),
    ("userfaultfd", 323, "0"),
    ("perf events", 298, "0, 0, -1, -1, 0"),
    ("files in memory", 319, "b'x', 0"),
    ("secret memory", 447, "0"),
    ("clone into a namespace", 56, "0x10000000 | 17, 0, 0, 0, 0"),
    ("joining of a namespace", 308, "-1, 0"),
    ("change of the root", 161, "b'/tmp'"),
    ("file handles", 304, "-1, 0, 0"),
    ("descriptors of other processes", 438, "-1, 0, 0"),
    ("new keys", 248, "b'user', b'x', b'', 0, -3"),
)

# A copy of the dynamic loader serves as the program. The loader itself may be started.
NATIVE = calling(
    "no program and no library in a writable place can be used",
    """
import _ctypes, shutil
loader = next(m.split()[-1] for m in open('/proc/self/maps') if '/ld-linux' in m)
places = {line.split()[1] for line in open('/proc/mounts')}
places = sorted(place for place in places if os.path.isdir(place) and os.access(place, os.W_OK))
def start(path):
    os.waitpid(os.posix_spawn(path, [path, '--version'], {}), 0)
found = set()
for place in places:
    program, library = place + '/program', place + '/library.so'
    shutil.copy(loader, program)
    shutil.copy(_ctypes.__file__, library)
    os.chmod(program, 0o755)
    opened = os.open(program, os.O_RDONLY)
    found |= {refused(start, program), refused(start, f'/proc/self/fd/{opened}')}
    found |= {refused(ctypes.CDLL, library), refused(start, loader) + ' outside'}
return f'{sorted(found)} {places}'
""",
    "['allowed outside', 'refused'] ['/dev/mqueue', '/dev/shm', '/tmp', '/work']",
)

_PROBES: tuple[Probe, ...] = (
    *(
        calling(f"no socket of {family}", f"return refused(socket.socket, socket.{family})")
        for family in (
            *("AF_INET", "AF_INET6", "AF_NETLINK", "AF_PACKET", "AF_VSOCK"),
            *("AF_ALG", "AF_CAN", "AF_TIPC"),
        )
    ),
    *(
        calling(f"no {name}", f"return refused(syscall, {number}, {arguments})")
        for name, number, arguments in _CALLS
    ),
    calling(
        "a candidate runs as an unprivileged user",
        "return f'{os.getuid() > 2**30} {os.getgroups()}'",
        "True []",
    ),
    calling("root cannot be regained", "return refused(os.setuid, 0)"),
    calling(
        "limits cannot be raised",
        "return refused(resource.setrlimit, resource.RLIMIT_NOFILE, (9999, 9999))",
    ),
    calling(
        "the supervisor cannot be signalled",
        "return ' '.join(refused(os.kill, int(p), 9) for p in os.listdir('/proc') if p.isdigit()"
        " and int(p) != os.getpid())",
        "refused refused refused",
    ),
    calling(
        "other processes' memory cannot be read",
        "return ' '.join(refused(open, f'/proc/{p}/{name}', 'rb') for p in os.listdir('/proc')"
        " if p.isdigit() and int(p) != os.getpid() for name in ('mem', 'maps', 'auxv', 'pagemap'))",
        " ".join(["refused"] * 12),
    ),
    NATIVE,
    # Starting Python by its path is allowed.
    calling(
        "no start of a file by its descriptor",
        """
words = (ctypes.c_char_p * 3)(b'python3', b'--version', None)
opened = os.open(sys.executable, os.O_RDONLY)
if os.fork() == 0:
    libc.syscall(322, opened, b'', words, (ctypes.c_char_p * 1)(None), 0x1000)
    os._exit(7)
return 'refused' if os.waitstatus_to_exitcode(os.wait()[1]) == 7 else 'allowed'
""",
    ),
    calling("the image cannot be written", "return refused(open, '/usr/x', 'w')"),
    calling(
        "no environment variables and no files of the host",
        "return f\"{sorted(os.environ)} {os.path.exists('/var/run/docker.sock')}\"",
        "['HOME', 'LANG', 'PATH', 'PYTHONDONTWRITEBYTECODE', 'PYTHONHASHSEED', 'PYTHONSAFEPATH',"
        " 'TMPDIR'] False",
    ),
    calling(
        "only its own pipes are open",
        "return str(sorted(int(f) for f in os.listdir('/proc/self/fd')))",
        "[0, 1, 2, 3, 4]",
    ),  # 3 is the directory listing, 4 the report
    calling(
        "the processor time limit ends a loop",
        "while True: pass",
        limits=_PATIENT,
        held=stopped(Stop.CPU),
    ),
    calling(
        "the processor time of child processes counts",
        "if os.fork() == 0:\n    while True: pass\ntime.sleep(60)",
        limits=_PATIENT,
        held=stopped(Stop.CPU),
    ),
    calling(
        "the wall time limit ends a sleeping program",
        "time.sleep(60)",
        limits=replace(LIMITS, cpu_seconds=0.5),
        held=stopped(Stop.WALL),
    ),
    calling("output is capped", "while True: os.write(1, b'x' * 65536)", held=stopped(Stop.OUTPUT)),
    calling(
        "memory is limited",
        "kept = []\nwhile True: kept.append(bytearray(2**24))",
        held=lambda outcome: outcome.oom_kills > 0 and outcome.signal is not None,
    ),
    calling(
        "a full disk is only an error",
        "def fill():\n    with open('/work/x', 'wb') as f:\n"
        "        for _ in range(100): f.write(bytes(2**20))\n"
        "return refused(fill)",
    ),
    calling(
        "processes are limited",
        "def many():\n    for _ in range(500):\n"
        "        if os.fork() == 0:\n            time.sleep(60)\n"
        "return refused(many)",
    ),
    calling(
        "a run's files and processes are removed",
        "if os.fork() == 0:\n    os.setsid()\n"
        "    if os.fork() == 0:\n        time.sleep(3600)\n    os._exit(0)\n"
        "for place in ('/work', '/tmp', '/dev/shm', '/dev/mqueue'):\n"
        "    os.makedirs(place + '/a/b'); open(place + '/a/b/c', 'w').close()\n"
        "    os.chmod(place + '/a', 0)\n"
        "return 'left'",
        "left",
    ),
    calling(
        "the next run finds none of them",
        "found = [os.listdir(p) for p in ('/work', '/tmp', '/dev/shm', '/dev/mqueue')]\n"
        "pids = [p for p in os.listdir('/proc') if p.isdigit()]\n"
        "return f'{found} {len(pids)}'",
        "[['program.py'], [], [], []] 4",  # its own file
    ),
)


def run(image: str, runtime: str | None = None) -> Iterator[Check]:
    """Raises SandboxError if no sandbox starts."""
    yield from tried(image, _PROBES, runtime)


def try_all(
    client: images.Client,
    *,
    tell: Tell,
    say: images.Say = lambda _: None,
    runtime: str | None = None,
) -> list[str]:
    """Returns one sentence per sandbox with a failing claim; `tell` gets every line. Raises
    SandboxError if an image cannot be made or a sandbox does not start."""
    worse = []
    for name in images.NAMES:
        image, title, failed = images.ensure(client, name, say), name.capitalize(), 0
        modules = (
            import_module(f"evaluation.engine.sandbox.{module}")
            for module in _LISTS.get(name, (f"selfcheck_{name}",))
        )
        for check in chain.from_iterable(m.run(image.reference, runtime) for m in modules):
            tell(f"{'ok  ' if check.held else 'FAIL'} {check.claim}")
            if not check.held:
                failed += 1
                tell(f"     {check.seen}")
        if failed:
            worse.append(f"{failed} of the checks for {title} failed: do not judge {title} here.")
        else:
            tell(f"The sandbox for {title} passed all checks.")
    return worse
