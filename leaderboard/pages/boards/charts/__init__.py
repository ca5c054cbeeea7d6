"""The charts of a board: functions from its frames and the slice of the breakdown ("" for the
default) to a chart, or None. A title states a finding only if its rule says that it is certain."""
