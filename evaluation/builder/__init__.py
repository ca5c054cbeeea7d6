"""Makes new benchmark tasks out of a repository that has tests.

Above the engine: it asks for prepared projects and runs references, and nothing asks it but
the command line.
"""
