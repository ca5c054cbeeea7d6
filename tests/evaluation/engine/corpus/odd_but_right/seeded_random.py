# task: add_all
# why: shuffles with a seed before it adds
    import random

    random.seed(7)
    shuffled = list(numbers)
    random.shuffle(shuffled)
    return sum(shuffled)
