"""Makes untrusted text fit for pages and for columns."""


def showable(text: str) -> str:
    """Replaces each lone surrogate, which no page can contain, by a question mark."""
    return text.encode("utf-8", "replace").decode()


def storable(text: str) -> str:
    """Like `showable`, and also replaces NUL, which PostgreSQL's text rejects."""
    return showable(text).replace("\0", "\N{REPLACEMENT CHARACTER}")


def web_address(link: str) -> str:
    """The link if it is http(s), else "": a stored script URL must not run."""
    return link if link.startswith(("https://", "http://")) else ""
