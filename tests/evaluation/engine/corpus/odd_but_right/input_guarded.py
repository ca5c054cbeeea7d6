# task: add_all
# why: asks for input and gets along without
    return sum(numbers)


def main():
    try:
        line = input("Numbers: ")
    except (EOFError, OSError):
        return
    print(line)


main()
