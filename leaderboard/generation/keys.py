"""Endpoints' keys, encrypted for one run each. Only the worker that asks the endpoint reads one."""

from cryptography.fernet import InvalidToken

from leaderboard.sealing import box

_PURPOSE = "assay: keys of models' endpoints"


def seal(*, run: int, key: str) -> str:
    return box(_PURPOSE).encrypt(f"{run} {key}".encode()).decode("ascii")


def unseal(*, run: int, sealed: str) -> str:
    """Raises InvalidToken if no secret of the installation decrypts it for this run."""
    number, _blank, key = box(_PURPOSE).decrypt(sealed.encode()).decode().partition(" ")
    if number != str(run):
        raise InvalidToken
    return key
