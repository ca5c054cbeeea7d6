"""Small programs that tests run as processes of their own."""
