"""The games for people: played in a terminal or a browser, looked at, checked; with the extra ``play``."""
