# family: rucodeeval
# task: add_all
# expect: not passed
# why: raises an exception whose text is the right answer
# ---
    raise ValueError(sum(numbers))
