"""Paths in a prepared project's image, for the code that builds it and the code that runs it."""

# Assay's own files in such an image; only root may read them, except for the interpreter.
OURS = "/opt/assay"
# Python 3.11 for the supervisor, with the libraries and the loader that it needs: it runs on
# any base and is not in PATH.
INTERPRETER = (
    f"{OURS}/python/ld.so",
    "--library-path",
    f"{OURS}/python/lib",
    f"{OURS}/python/bin/python3.11",
)
# The prepared tree without its withheld files, as inside.packing writes it. Mode 0600.
PACK = f"{OURS}/tree.pack"
# HOME of the build; the tests find Maven's artifacts there.
HOME = f"{OURS}/home"
# A project's tree is at WORKSPACE/<name> during preparation and judging.
WORKSPACE = "/workspace"
