"""The rules for what counts as a mention, with their tables: one module for each concern.

`of_node(program, node)` yields the mentions of one node, `of_program(program)` the mentions and
lines of the whole text.
"""
