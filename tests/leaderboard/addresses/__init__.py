"""Tests of every address of the site as every role: what it answers, and which data of others it
gives away."""
