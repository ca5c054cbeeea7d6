"""Conversations for display, built from stored verdicts."""
