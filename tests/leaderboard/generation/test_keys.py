"""Tests of the encryption of keys, whose secrets can be changed one after the other."""

import pytest
from cryptography.fernet import InvalidToken
from pytest_django.fixtures import Settings

from leaderboard.generation.keys import seal, unseal
from tests.support.ordering import KEY

OLD, NEW = "old secret " * 4, "new secret " * 4


def test_a_key_is_read_again_and_does_not_stand_in_what_is_kept(settings: Settings) -> None:
    sealed = seal(run=7, key=KEY)
    assert unseal(run=7, sealed=sealed) == KEY
    assert KEY not in sealed


def test_a_key_belongs_to_its_run() -> None:
    with pytest.raises(InvalidToken):
        unseal(run=8, sealed=seal(run=7, key=KEY))


def test_a_further_secret_in_front_leaves_old_keys_readable(settings: Settings) -> None:
    settings.KEY_SECRETS = [OLD]
    sealed = seal(run=7, key=KEY)
    settings.KEY_SECRETS = [NEW, OLD]
    assert unseal(run=7, sealed=sealed) == KEY
    newer = seal(run=7, key=KEY)
    settings.KEY_SECRETS = [NEW]
    assert unseal(run=7, sealed=newer) == KEY
    with pytest.raises(InvalidToken):
        unseal(run=7, sealed=sealed)


def test_the_first_secret_leaves_what_the_sites_has_encrypted_readable(settings: Settings) -> None:
    settings.KEY_SECRETS = []
    sealed = seal(run=7, key=KEY)
    settings.KEY_SECRETS = [NEW]
    assert unseal(run=7, sealed=sealed) == KEY
    newer, settings.SECRET_KEY = seal(run=7, key=KEY), "another"
    assert unseal(run=7, sealed=newer) == KEY


def test_without_a_secret_of_their_own_keys_go_by_the_sites(settings: Settings) -> None:
    settings.KEY_SECRETS, settings.SECRET_KEY = [], "one"
    sealed = seal(run=7, key=KEY)
    settings.SECRET_KEY = "another"
    with pytest.raises(InvalidToken):
        unseal(run=7, sealed=sealed)


@pytest.mark.parametrize("sealed", ["", "nonsense", "gAAAAAB" + "x" * 100])
def test_what_was_never_sealed_cannot_be_read(sealed: str) -> None:
    with pytest.raises(InvalidToken):
        unseal(run=7, sealed=sealed)
