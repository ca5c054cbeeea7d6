"""RealCodeJava: bodies of methods in real Java projects. Follows the benchmark's post-processing in
its order; README.md lists the differences."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from evaluation.engine.conversations.scripts import own_prompts
from evaluation.engine.conversations.wording import replaced
from evaluation.engine.family import Sampling
from evaluation.engine.java_tokens import Token, tokens
from evaluation.engine.projects import java_control, mera
from evaluation.engine.projects.bodies import Bodies, Body, family
from evaluation.engine.projects.suite import Rewriting
from evaluation.engine.records import Limits
from evaluation.engine.texts import gettext_noop as _

# The authors' seconds and memory; the other limits as Maven, which starts JVMs, needs them.
LIMITS = Limits(
    cpu_seconds=1200.0, memory=10 * 2**30, output=64 * 2**20, pids=2048, open_files=16384
)
SIGNATURE_DROPPED = "signature_dropped"
CLOSING_BRACE_ADDED = "closing_brace_added"
CUT = "cut"
_SIGNATURE_LINES = 20
_TYPES = ("class", "interface", "enum", "record")
# An escape counts only after an even number of backslashes; a pair is skipped.
_ESCAPE = re.compile(r"\\\\|\\u+([0-9a-fA-F]{4})")


def body_of(generation: str, name: str, left_context: str, gt: str) -> Body:
    code = extract_code(generation)
    dropped = _without_signature(code, left_context, name)
    closed, last_line = dropped, gt.rstrip().rpartition("\n")[2]
    end = end_of_block(tokens(dropped))
    if last_line.strip() == "}" and end is None:
        closed += ("" if dropped.endswith("\n") else "\n") + last_line
        end = end_of_block(tokens(closed))
    steps = {
        SIGNATURE_DROPPED: dropped != code,
        CLOSING_BRACE_ADDED: closed != dropped,
        CUT: bool(end is not None and closed[end:].strip()),
    }
    return Body(closed[:end], tuple(flag for flag, done in steps.items() if done))


def extract_code(text: str) -> str:
    """The text up to the next ```` ``` ````, from the first ```` ```java ```` if there is one."""
    _before, opening, after = text.partition("```java")
    return (after if opening else text).partition("```")[0]


def joined(left_context: str, body: str, right_context: str) -> str:
    before = "" if left_context.endswith("\n") or body.startswith("\n") else "\n"
    after = "" if body.endswith("\n") or right_context.startswith("\n") else "\n"
    return left_context + before + body + after + right_context.rstrip("\n")


def _without_signature(code: str, left_context: str, name: str) -> str:
    """The code after the last repetition of the signature that is in nothing but classes, in any
    spacing, with or without annotations, `final` and exceptions. The signature: the tokens from the
    last such name to the brace that ends the left context, if there are any."""
    earlier = left_context.rstrip("\n").split("\n")[:-_SIGNATURE_LINES]
    begin = sum(len(line) + 1 for line in earlier)
    words = [token.text for token in _bare(left_context) if token.end > begin]
    named = [n for n in range(len(words) - 1) if words[n] == name and words[n + 1] in ("(", "{")]
    signature = words[named[-1] :] if named else []
    if not signature or signature[-1] != "{" or ";" in signature:
        return code
    code_tokens = _bare(code)
    states = [*_states(code_tokens)]
    words = [word for word, _depth, _classes in states]
    # Code that ends the method's block, but not just after a class, repeats no class around it.
    class_end = ("}", 1, 1)
    ends = (before for before, state in pairwise([None, *states]) if state == ("}", 0, 0))
    is_body, end = next(ends, class_end) != class_end, 0
    for at, (word, depth, classes) in enumerate(states):
        is_repeated = word == signature[0] and words[at : at + len(signature)] == signature
        if is_repeated and depth <= (0 if is_body else classes):
            end = code_tokens[at + len(signature) - 1].end
    return code[end:]


def _bare(code: str) -> list[Token]:
    """The tokens without annotations, `final` and exceptions. Takes linear time."""
    bare, part, depth = list[Token](), "", 0
    for before, token in pairwise([Token("other", "", 0), *tokens(code)]):
        text = token.text
        if depth > 0 or (part == "@" and text == "("):
            depth += (text == "(") - (text == ")")
            part = ""
        elif text == "@" or (text == "throws" and before.text == ")"):
            part = text
        elif part == "@" and (text == "." or before.text in ("@", ".")):
            continue
        elif text != "final" and not (part == "throws" and (token.kind == "word" or text in ".,")):
            bare.append(token)
            part = ""
    return bare


def _states(code_tokens: list[Token]) -> Iterator[tuple[str, int, int]]:
    """Each token's text, how many braces are open before it, and how many of these, from the first,
    are those of classes."""
    depth, classes, is_class, is_named = 0, 0, False, False
    for kind, text, _start in code_tokens:
        yield text, depth, classes
        if text in ("{", "}"):
            depth += 1 if text == "{" else -1
            classes = min(depth, classes + (is_class and classes == depth - 1))
        is_class = text not in ("{", "}", ";") and (is_class or (is_named and kind == "word"))
        is_named = text in _TYPES


def end_of_block(code_tokens: list[Token]) -> int | None:
    """The end of the block that was open before the code began, or None if it stays open."""
    open_braces = 1
    for token in code_tokens:
        open_braces += (token.text == "{") - (token.text == "}")
        if open_braces == 0:
            return token.end
    return None


def fault(body: str, left_context: str, right_context: str, gt: str) -> str:
    """How the body leaves its method once Java's Unicode escapes, which javac reads first, are
    replaced; "" if it stays there."""
    left, middle, right = map(_read_by_javac, (left_context, body, right_context))
    own_tokens = tokens(middle)
    alone = [token.text for part in (left, right) for token in tokens(part)]
    start = len(tokens(left))
    whole = _read_by_javac(joined(left_context, body, right_context))
    expected = [*alone[:start], *(token.text for token in own_tokens), *alone[start:]]
    if [token.text for token in tokens(whole)] != expected:
        return "It begins a comment or a text that does not end in its place."
    end, ends = end_of_block(own_tokens), end_of_block(tokens(gt)) is not None
    if (end is not None) != ends or (end is not None and own_tokens[-1].end > end):
        return "It does not end its method where the method ends."
    return ""


def _read_by_javac(text: str) -> str:
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else match[0], text)


_PARTS = ("left_context", "right_context", "gt")
BODIES = Bodies(
    extracted=extract_code,
    rule=_(
        "The code is the text from the first ```java, or else from the beginning, up to the next "
        "```."
    ),
    of=lambda task, text: body_of(
        text, task.public["entry_point"], task.hidden["left_context"], task.hidden["gt"]
    ),
    joined=joined,
    stubs={"stub_pass": lambda task: str(task.hidden["stub"])},
    fault=lambda task, body: fault(body, **{name: task.hidden[name] for name in _PARTS}),
    report="surefire",
    limits=LIMITS,
    dry_run_limits=replace(LIMITS, cpu_seconds=1800.0),
    asking=Rewriting(java_control.rewritten, java_control.test_file),
)
FAMILY = family(
    "realcode_java",
    "RealCodeJava",
    mera.Form(language="java", path="file_path", stub=True),
    BODIES,
    own_prompts(
        Sampling(temperature=0.7, top_p=0.8, max_tokens=4096, repetition_penalty=1.05),
        ("left_context",),
        replaced,
    ),
    flags={
        SIGNATURE_DROPPED: _("the repeated signature was dropped"),
        CLOSING_BRACE_ADDED: _("a missing closing brace was added"),
        CUT: _("cut where the function ends"),
    },
)
