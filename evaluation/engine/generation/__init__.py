"""Generates predictions: sends a benchmark's prompts to a model's chat endpoint.

Only `endpoint` talks to the model. Knows no family and no command line."""
