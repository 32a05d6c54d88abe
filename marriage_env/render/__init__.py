"""Views of a table."""
