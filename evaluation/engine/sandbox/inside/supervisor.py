"""The container's main process: takes runs from the host, answers with their facts.

Speaks frames over its standard streams. Holds the nonce that every answer carries
and the reports of the runs; decides nothing about right or wrong. Runs are answered
in the order in which they came, each only after nothing of it is left.
"""

import json
import resource
import sys
from typing import Any

from . import frames
from .children import Irregular, Zygote
from .container import Container
from .one_run import OneRun
from .places import Answer, Place, Refused, Unfit


def _place(config: "dict[str, Any]", zygote: Zygote) -> Place:
    """The modules of a tree and of a workshop are sent only with one. Raises Unfit."""
    uids = config["uid"], config["uid"] + 1
    if config["tree"] is not None:
        from .trees import Tree

        return Tree(config["tree"], uids)
    if config["workshop"]:
        from .workshop import Workshop

        return Workshop(frames.read(0), zygote, uids)
    return Place(uids)


def main(first: "dict[str, Any]") -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    zygote = Zygote(first)
    # Read only now, because the zygote must not hold it.
    config = json.loads(frames.read(0))
    nonce: str = config["nonce"]
    try:
        container = Container(zygote, _place(config, zygote), nonce)
    except Unfit as error:
        frames.write(1, frames.dump({"nonce": nonce, "unfit": str(error)}))
        return
    frames.write(1, frames.dump({"nonce": nonce, "ready": sys.version.split()[0]}))

    def run(header: "dict[str, Any]", programs: "list[bytes]") -> Answer:
        return OneRun(container, header, programs).finish()

    while True:
        try:
            header = json.loads(frames.read(0))
            programs = [frames.read(0) for _ in header["processes"]]
            programs = container.place.receive(header, programs)
            facts, report = container.place.answer(run, header, programs)
        except EOFError:
            return
        except Refused as error:
            facts, report = {"refused": str(error)}, b""
        except Irregular as error:
            facts, report = {"irregular": str(error)}, b""
        frames.write(1, frames.dump({**facts, "nonce": nonce, "n": header["n"]}))
        frames.write(1, report)
        if "irregular" in facts or container.place.for_one_run:
            return
