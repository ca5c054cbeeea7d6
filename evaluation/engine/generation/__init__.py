"""Generations from a model: the questions of a benchmark, put to a chat endpoint.

`endpoint` alone speaks to it, `retrying` says what is asked again and when, `journal` keeps
every answer from the moment it came, `static` and `dynamic` are the courses of conversations,
`run` has many of them at a time, `writing` makes the predictions file, and `judges` tells what
the code of a turn passes. Knows no family and no command line.
"""
