"""Builds the image in which a project's generations are judged, from the project's sources."""
