"""Tests of attacks on the site, each as its attacker would try it."""
