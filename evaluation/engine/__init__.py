"""Judges generations of code: a library without Django, queues, pandas or plotly; the import
contracts in pyproject.toml enforce this."""

ENGINE_VERSION = "0.7.17"
