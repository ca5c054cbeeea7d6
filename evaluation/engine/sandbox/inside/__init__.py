"""The programs inside a container: standard library and Python 3.11 only.

Their sources are sent over the attached stream when a container starts, so they import each other
relatively and nothing else of Assay. `messages.py` on the host side lists what is sent."""
