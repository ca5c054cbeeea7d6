"""Judges generations of code: a library without Django, queues, pandas or plotly.

The import contracts in pyproject.toml enforce this. Public modules: `records`, `errors`, `family`,
`registry`, `uploads`, `pipeline`, `metrics` and `sandbox`.
"""

ENGINE_VERSION = "0.1.0"
