# task: add_all
# why: computes in a pool of two processes
    import multiprocessing

    with multiprocessing.get_context("fork").Pool(2) as pool:
        return sum(pool.map(int, numbers))
