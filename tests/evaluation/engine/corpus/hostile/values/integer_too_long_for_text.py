# family: rucodeeval
# task: add_all
# expect: not passed
# why: returns an integer that has more digits than str allows
# ---
    return 10**5000
