# task: add_all
# why: returns an integer that has more digits than str allows
    return 10**5000
