"""Attacks on the site, each tried as its attacker would."""
