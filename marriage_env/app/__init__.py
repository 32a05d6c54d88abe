"""The games for people: played in a terminal or a browser, looked at, checked. The extra ``play`` has what they need."""
