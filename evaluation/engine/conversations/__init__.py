"""The messages and rules of conversations about code.

Pure: no module here calls a model, runs code or knows a family."""
