"""Java sandboxes without the defences that a case names, apart from those of a single run."""

from collections.abc import Iterator, Set
from contextlib import ExitStack, contextmanager

from evaluation.engine.sandbox import docker, images

from tests.evaluation.engine.corpus.defences import changed_image, executable, replaced

# "memory": the evaluation's classes are in no file. "module": they are in a module that is exported
# to the harness only. "noexec": of writable mounts. "programs": candidates may start nothing else.
DEFENCES = frozenset({"memory", "module", "noexec", "programs"})
_IN_FILES = (
    "workshop",
    "self._write(OWN, made)",
    "self._write(OWN, made); self._write(OWN, tests)",
)
_ALLOWED = '    "-Djava.security.manager=allow",\n'
_PATCHED = (
    "java_jvm",
    _ALLOWED,
    f'{_ALLOWED}    "--patch-module=assay.harness=/opt/assay/open",\n',
)
_COMPILE = """
printf %s "$SOURCE" >/tmp/Evaluations.java
$(echo /usr/lib/jvm/java-17-openjdk-*/bin/javac) --system /opt/assay/java \
    -d /opt/assay/open --patch-module assay.harness=/tmp \
    --add-exports java.base/jdk.internal.module=assay.harness /tmp/Evaluations.java
"""
_OPEN = "find / -xdev -type f -perm /0110 -exec chmod o+rx {} +"


def _without_a_module() -> str:
    """The source of the evaluations' loader, which leaves them in its unnamed module."""
    text = images.sources("java")["harness/Evaluations.java"]
    before, found, rest = text.partition("Modules.defineModule(")
    assert found, "the defence has another text"
    return f"{before}made.getUnnamedModule();{rest.partition(', null);')[2]}"


@contextmanager
def lacking(image: str, defences: Set[str]) -> Iterator[str]:
    """The image for sandboxes that are opened meanwhile."""
    assert defences <= DEFENCES
    with ExitStack() as stack:
        if "memory" in defences:
            stack.enter_context(replaced([_IN_FILES]))
        if "noexec" in defences:
            stack.enter_context(executable(*docker.TMPFS))
        if "programs" in defences:
            image = stack.enter_context(changed_image(image, _OPEN))
        if "module" in defences:
            stack.enter_context(replaced([_PATCHED]))
            image = stack.enter_context(changed_image(image, _COMPILE, SOURCE=_without_a_module()))
        yield image
