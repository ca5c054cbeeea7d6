"""Measurements: each `python -m bench.bench_NAME`, in the project's root."""
