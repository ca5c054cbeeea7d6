"""The raters' and organisers' pages. Raters' pages read only through `queries`: they are blind."""
