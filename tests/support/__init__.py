"""What several kinds of tests need: the command line as a process, prediction files, faults."""
