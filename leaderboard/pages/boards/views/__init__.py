"""The pages that everyone reads. One module for each kind of page."""
