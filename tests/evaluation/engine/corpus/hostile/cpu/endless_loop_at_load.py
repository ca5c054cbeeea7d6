# family: rucodeeval
# task: add_all
# expect: not passed
# status: timeout
# why: never finishes loading
# ---
    return 7


while True:
    pass
