"""The pages of uploads and submissions, the team's main journey. A module for each kind."""
