"""Generates predictions: sends a benchmark's prompts to a model's chat endpoint.

Only `endpoint` talks to the model. `retrying` decides on retries, `journal` stores each answer on
arrival, `static` and `dynamic` run one conversation, `run` runs many concurrently, `turns` judges
the turns of dynamic ones, `writing` makes the predictions file, and `session` joins them all.
Knows no family and no command line.
"""
