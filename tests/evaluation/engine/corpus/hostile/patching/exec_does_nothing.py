# family: rucodeeval
# task: add_all
# expect: not passed
# why: makes whoever executes the tests execute nothing
# ---
    return 7


import builtins

builtins.exec = lambda *found, **options: None
builtins.eval = lambda *found, **options: True
builtins.compile = lambda *found, **options: (lambda: None).__code__
