# task: add_all
# why: has a demonstration under the main guard
    return sum(numbers)


if __name__ == "__main__":
    assert add_all([1, 2]) == 3
    print(add_all([1, 2, 3]))
