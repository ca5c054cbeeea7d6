"""Pages about people, teams and entrants."""
