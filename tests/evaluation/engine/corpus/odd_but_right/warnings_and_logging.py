# task: add_all
# why: warns, logs and turns warnings into errors for itself
    import logging
    import warnings

    logging.basicConfig(level=logging.DEBUG)
    logging.debug("numbers %s", numbers)
    warnings.warn("deprecated", DeprecationWarning)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            warnings.warn("caught")
        except UserWarning:
            logging.exception("as expected")
    return sum(numbers)
