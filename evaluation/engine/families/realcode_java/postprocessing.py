"""Follows the benchmark's post-processing in its order; README.md lists the differences."""

from __future__ import annotations

from evaluation.engine.java_tokens import tokens
from evaluation.engine.projects.bodies import Body

SIGNATURE_DROPPED = "signature_dropped"
CLOSING_BRACE_ADDED = "closing_brace_added"
CUT = "cut"

_SIGNATURE_LINES = 20
_OPENING = "```java"
_CLOSING = "```"


def body_of(generation: str, name: str, left_context: str, gt: str) -> Body:
    code = extract_code(generation)
    dropped = _without_signature(code, _signature(left_context, name))
    closed = _closed(dropped, gt)
    end = end_of_block(closed)
    steps = {
        SIGNATURE_DROPPED: dropped != code,
        CLOSING_BRACE_ADDED: closed != dropped,
        CUT: bool(end is not None and closed[end:].strip()),
    }
    return Body(closed[:end], tuple(flag for flag, done in steps.items() if done))


def extract_code(text: str) -> str:
    """The text up to the next ```` ``` ````, from the first ```` ```java ```` if there is one."""
    _before, opening, after = text.partition(_OPENING)
    return (after if opening else text).partition(_CLOSING)[0]


def joined(left_context: str, body: str, right_context: str) -> str:
    before = "" if left_context.endswith("\n") or body.startswith("\n") else "\n"
    after = "" if body.endswith("\n") or right_context.startswith("\n") else "\n"
    return left_context + before + body + after + right_context.rstrip("\n")


def _signature(left_context: str, name: str) -> list[str]:
    """The tokens from the last such name to the brace that ends the left context, or []."""
    earlier = left_context.rstrip("\n").split("\n")[:-_SIGNATURE_LINES]
    begin = sum(len(line) + 1 for line in earlier)
    words = [token.text for token in tokens(left_context) if token.end > begin]
    for start in range(len(words) - 2, -1, -1):
        if words[start] == name and words[start + 1] in ("(", "{"):
            found = words[start:]
            return found if found[-1] == "{" and ";" not in found else []
    return []


def _without_signature(code: str, signature: list[str]) -> str:
    """The code after the signature's last repetition, in any spacing."""
    if not signature:
        return code
    found = tokens(code)
    words = [token.text for token in found]
    for start in range(len(found) - len(signature), -1, -1):
        end = start + len(signature)
        if words[start] == signature[0] and words[start:end] == signature:
            return code[found[end - 1].end :]
    return code


def _closed(code: str, gt: str) -> str:
    line = gt.rstrip().rpartition("\n")[2]
    if line.strip() != "}" or end_of_block(code) is not None:
        return code
    return code + ("" if code.endswith("\n") else "\n") + line


def end_of_block(code: str) -> int | None:
    """The end of the block that was open before the code began, or None if it stays open."""
    open_braces = 1
    for token in tokens(code):
        open_braces += (token.text == "{") - (token.text == "}")
        if open_braces == 0:
            return token.end
    return None
