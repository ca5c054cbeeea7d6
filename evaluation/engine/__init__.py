"""How a generation becomes a verdict: a library that knows nothing of the web.

No Django, queue, pandas or plotly in here (held by the import contracts). Its
public face: `records`, `errors`, `family`, `registry`, `uploads`, `pipeline`,
`metrics` and `sandbox`.
"""

ENGINE_VERSION = "0.1.0"
