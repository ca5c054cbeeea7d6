# task: add_all
# why: changes its directory, its environment and its umask
    import os

    os.chdir("/")
    os.environ.clear()
    os.umask(0o777)
    return sum(numbers)
