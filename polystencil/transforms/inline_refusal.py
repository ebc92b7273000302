"""Why a call stays a call."""


class NotInlined(Exception):
    """A call stays a call; the message says why."""
