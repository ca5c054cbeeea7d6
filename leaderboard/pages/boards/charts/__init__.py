"""The charts of a board: functions from a board's frames to a chart, one module each.

A function takes the slice of the breakdown ("" for the default) and returns None if there is
nothing to draw. A title states a finding only if its rule (rules, or in the module) holds.
"""
