"""placeholder"""


def describe(env):
    return ""
