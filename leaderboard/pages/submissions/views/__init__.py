"""The pages of uploads and submissions, one module for each kind."""
