# task: add_all
# status: timeout
# why: never finishes loading
    return 7


while True:
    pass
