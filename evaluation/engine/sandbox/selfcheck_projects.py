"""The conformance list of the audit in Python projects: what the tests' plugin notices of a
program.

The hook runs in a container for functions. It is the same text that a project's container gets.
"""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.engine.sandbox import messages
from evaluation.engine.sandbox.selfcheck import Check, Probe, tried

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
refused(open, '/work/data.json')
eval('1 + 1')
"""


def probes() -> list[Probe]:
    """Reads the plugin's text at each call."""
    texts = {"audit": messages.plugin()["audit"]}
    made = [(f"{what} are evidence", action, sent) for what, action, sent in _ACTIONS]
    made.append(("what honest programs do is no evidence", _HONEST, []))
    return [
        Probe(f"Projects: {claim}", _BODY.format(texts=texts, action=action), str(sent))
        for claim, action, sent in made
    ]


def run(image: str, runtime: str | None = None) -> Iterator[Check]:
    """Raises SandboxError if no sandbox starts."""
    yield from tried(image, probes(), runtime)
