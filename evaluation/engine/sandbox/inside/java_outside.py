"""Runner `java_outside`: a run's judging process, between the judge's JVM and the candidate's.

The judge's JVM asks over `channel_fd + 1`. Questions are forwarded to the candidate's channel and
answers back, both unread: this process knows only frames. After an answer that is too long or
incomplete, no answer of the candidate's is accepted."""

import binascii
from typing import Any

from . import frames, loading

# Bytes of an answer, as in java/outside/Frames.java, and of a question by the judge's JVM.
ANSWER_MOST, QUESTION_MOST = 8 * 2**20, 9 * 2**20
_DONE, _ANSWER, _GONE = b"D", b"A", b"G"


def main(payload: "dict[str, Any]", report_fd: int, channel_fd: int) -> None:
    judge_fd, answering = channel_fd + 1, True
    frames.write(judge_fd, binascii.a2b_base64(payload["request"]))
    while True:
        said = frames.read(judge_fd, QUESTION_MOST)
        if said[:1] == _DONE:
            # See java/outside/Run.java. A candidate that has exited leaves no result.
            how, _, rest = said[1:].decode("utf-8", "replace").partition(" ")
            report: dict[str, Any] = {
                "counted": [*map(int, rest.split(" "))] if how == "counted" else None,
                "threw": rest if how == "threw" else "",
                "denied": [],
                "unplain": rest[:1000] if how == "failed" else "",
            }
            loading.leave(report_fd, report)
        answer = _GONE
        if answering:
            try:
                frames.write(channel_fd, said[1:])
                answer = _ANSWER + frames.read(channel_fd, ANSWER_MOST)
            except (OSError, EOFError, frames.BadFrame):
                answering = False
        frames.write(judge_fd, answer)
