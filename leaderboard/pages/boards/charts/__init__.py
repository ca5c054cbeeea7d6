"""The charts of a board: pure functions from frames to plotly figures, one module each."""
