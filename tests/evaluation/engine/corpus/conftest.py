"""Keeps pytest from ever importing the corpus's files: collecting one would execute it."""

collect_ignore = ["hostile", "hostile_but_correct", "odd_but_right"]
