"""Shared by several kinds of tests: the command line as a process, prediction files, faults."""
