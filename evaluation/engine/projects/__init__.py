"""Shared code of the families whose generations are judged inside real projects."""
