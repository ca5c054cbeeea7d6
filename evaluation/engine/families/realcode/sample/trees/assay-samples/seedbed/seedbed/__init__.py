"""Plans vegetable beds."""
