# task: add_all
# why: leaves files behind
    for path in ("left.txt", "/tmp/left.txt"):
        with open(path, "a") as file:
            file.write(str(sum(numbers)) + "\n")
    return int(open("left.txt").read().split()[-1])
