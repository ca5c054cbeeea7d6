"""Conversations as pages show them, made of the verdicts that are stored."""
