# task: add_all
# status: timeout
# why: burns time while source is compiled
    return 7


source = "[" + "-1 + 1, " * 200000 + "]"
while True:
    compile(source, "x", "eval")
