# task: add_all
# why: prints some MiB, below the cap, at load and in the call
    for number in range(2000):
        print("adding", number, "x" * 100)
    return sum(numbers)


print("loaded", "y" * 2**20)
