"""The messages and rules of conversations about code.

Pure: no module here calls a model, runs code or knows a family. `static` and `filling` build the
messages of conversations with a fixed course. `dialogue` has the rules of dynamic ones, `wording`
their texts, and `replay` compares a finished one with the rules.
"""
