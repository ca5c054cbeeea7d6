"""Where things lie in an image of a prepared project, for who makes it and who runs it."""

from __future__ import annotations

# All that is ours in such an image; readable by root alone but for the interpreter.
OURS = "/opt/assay"
# Python 3.11 for the supervisor, with the libraries and the loader that it needs: it runs on
# any base, and is in nobody's PATH.
INTERPRETER = (
    f"{OURS}/python/ld.so",
    "--library-path",
    f"{OURS}/python/lib",
    f"{OURS}/python/bin/python3.11",
)
# The prepared tree without its withheld files, as inside.packing writes it. Mode 0600.
PACK = f"{OURS}/tree.pack"
# The home of whoever builds, and what of it the tests find again (Maven's artifacts).
HOME = f"{OURS}/home"
# A project's tree is at WORKSPACE/<name>, while it is prepared and while it is judged.
WORKSPACE = "/workspace"
