"""From a project's sources to an image that its generations are judged in."""
