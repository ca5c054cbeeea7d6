"""Endpoints' keys, encrypted for one run each. Only the worker that asks the endpoint reads one."""

from cryptography.fernet import InvalidToken

from leaderboard.sealing import box

_PURPOSE = "assay: keys of models' endpoints"


class Unreadable(Exception):
    """No secret of the installation decrypts it for this run."""


def seal(*, run: int, key: str) -> str:
    return box(_PURPOSE).encrypt(f"{run} {key}".encode()).decode("ascii")


def unseal(*, run: int, sealed: str) -> str:
    """Raises Unreadable, also for the key of another run."""
    try:
        number, _blank, key = box(_PURPOSE).decrypt(sealed.encode()).decode().partition(" ")
    except InvalidToken:
        raise Unreadable from None
    if number != str(run):
        raise Unreadable
    return key
