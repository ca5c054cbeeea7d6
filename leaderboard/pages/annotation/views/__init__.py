"""The pages of raters and of organisers. Raters' pages read by `queries` alone: they are blind."""
