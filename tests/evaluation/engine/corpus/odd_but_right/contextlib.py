# task: add_all
# why: redirects its output and suppresses its errors
    import contextlib
    import io

    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(ZeroDivisionError):
        print(sum(numbers))
        1 / 0
    return int(out.getvalue())
