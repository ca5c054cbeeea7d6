"""The conformance list of Python projects: what the tests' plugin notices of a program, and which
files a program cannot read.

The plugin's hook runs in a container for functions, with the same text that a project's container
gets. The files are those of a small project in an image of its own."""

from collections.abc import Iterator

from evaluation.engine.records import Execution, Limits, Prepared, Project
from evaluation.engine.sandbox import docker, images, layout, messages, project_images
from evaluation.engine.sandbox.bases import Base
from evaluation.engine.sandbox.fresh import Fresh
from evaluation.engine.sandbox.interpreter import with_supervisor
from evaluation.engine.sandbox.project_images import Workshop
from evaluation.engine.sandbox.selfcheck import Check, Probe, calling, tried

_BODY = """
import collections, gc, logging, os, sys, traceback, types
seen = []
plugin = sys.modules['plugin'] = types.ModuleType('plugin')
for name, text in {texts!r}.items():
    module = sys.modules['plugin.' + name] = types.ModuleType('plugin.' + name)
    setattr(plugin, name, module)
    module.__package__ = 'plugin'
    exec(compile(text, '/work/judge/' + name + '.py', 'exec'), module.__dict__)
plugin.audit.Audit(
    lambda value: seen.append(value['event'][0]), '/work/project', '/work/judge',
    lambda path: path.rpartition('/')[2].startswith('test_'))
{action}
return str(sorted(set(seen)))
"""
# For each claim: the action of a program, and the events that it sends.
_ACTIONS = (
    (
        "frames that are asked for",
        "sys._getframe(); sys._current_frames(); (each for each in ()).gi_frame",
        ["object.__getattr__", "sys._current_frames", "sys._getframe"],
    ),
    (
        "searches of the garbage collector",
        "gc.get_objects(); gc.get_referrers(seen); gc.get_referents(seen)",
        ["gc.get_objects", "gc.get_referents", "gc.get_referrers"],
    ),
    (
        "trace and profile functions and further hooks",
        "sys.settrace(None); sys.setprofile(None); sys.addaudithook(lambda *_: None)",
        ["sys.addaudithook", "sys.setprofile", "sys.settrace"],
    ),
    ("code objects that are made", "(lambda: 0).__code__.replace()", ["code.__new__"]),
    (
        "native libraries and memory by address",
        "ctypes.CDLL(None); ctypes.string_at(b'x', 1)",
        ["ctypes.dlopen", "ctypes.string_at"],
    ),
    (
        "files of tests and of the judge",
        "refused(open, '/work/project/test_x.py'); refused(os.listdir, '/work/judge')",
        ["open", "os.listdir"],
    ),
    (
        "processes that run on with the tests' code",
        "refused(lambda: os.fork() or os._exit(0))",
        ["os.fork"],
    ),
)
_HONEST = """
collections.namedtuple('Pair', 'a b')
logging.getLogger('x').warning('a line')
traceback.format_exc()
traceback.format_stack()
refused(open, '/work/data.json')
eval('1 + 1')
"""

_LIMITS = Limits(cpu_seconds=10.0, memory=2560 * 2**20, pids=64)
_SECRET, _OPEN = "assay-expects-42", "anyone reads this"
_READING = Execution(
    "repository",
    {
        "files": {},
        "hidden": ["test_it.py"],
        "command": "cat data; chmod 644 test_it.py; cat test_it.py; cp test_it.py /tmp; "
        f"grep -rhs {_SECRET[:12]} . /judge /opt /tmp",
        "report": "pytest",
    },
    _LIMITS,
)


def probes() -> list[Probe]:
    """Reads the plugin's text at each call."""
    texts = {"audit": messages.plugin()["audit"]}
    made = [(f"{what} are evidence", action, sent) for what, action, sent in _ACTIONS]
    made.append(("what honest programs do is no evidence", _HONEST, []))
    return [
        calling(f"Projects: {claim}", _BODY.format(texts=texts, action=action), str(sent))
        for claim, action, sent in made
    ]


def run(image: str, runtime: str | None = None) -> Iterator[Check]:
    """Raises SandboxError if no sandbox starts."""
    yield from tried(image, probes(), runtime)
    # Two files in an image like those of projects.
    ours, root = images.ensure(docker.client()), f"{layout.WORKSPACE}/project"
    base = Base(ours.reference, ours.reference, ours.digest, "present")
    supervised, name = with_supervisor(docker.client(), base), "assay-selfcheck-project:unfinished"
    with Workshop(supervised, memory=_LIMITS.memory, network="none") as shop:
        write = f"mkdir {root} && cd {root} && echo {_SECRET} > test_it.py && echo {_OPEN} > data"
        pack = [*layout.INTERPRETER, "-I", "-S", "-c", messages.source("packing"), "pack"]
        for command in (["sh", "-c", write], [*pack, root, layout.PACK]):
            ended = shop.run(command, seconds=60)
            assert ended.exit_code == 0, ended.said
        digest = shop.commit(name, {})
    project = Project("assay/selfcheck", "", "", "")
    prepared = Prepared(project, name, name, digest, "", root, 2**20, {})
    try:
        with Fresh(prepared, _LIMITS, runtime=runtime) as sandbox:
            (outcome,) = sandbox.run_all([_READING])
    finally:
        project_images.remove(digest)
    held = _OPEN in outcome.output and _SECRET not in outcome.output
    yield Check("Projects: hidden files of tests cannot be read", held, str(outcome))
