"""Makes new benchmark tasks from a repository that has tests. Only the command line uses it."""
