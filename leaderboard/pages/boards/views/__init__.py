"""The public pages, one module for each kind."""
