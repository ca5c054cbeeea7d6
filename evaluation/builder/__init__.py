"""Makes new benchmark tasks from a repository that has tests.

Depends on the engine: it requests prepared projects and runs references. Only the command line uses
it.
"""
