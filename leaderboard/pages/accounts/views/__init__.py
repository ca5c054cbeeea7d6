"""Pages of accounts, teams and entrants."""
