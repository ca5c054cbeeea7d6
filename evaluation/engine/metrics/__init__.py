"""Scores, intervals, tests and ranks, from results and marks."""

# Version of all that this package computes. If a number that a board shows may change, raise it,
# add a line to "Versions of the metrics" in docs/users/metrics.md, and add migrations that score
# results and make boards again. The engine's version says how generations are judged; if that one
# changes, all references are judged again.
METRICS_VERSION = "3"
