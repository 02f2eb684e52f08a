"""The one error that means: what you typed cannot be used, and here is why."""


class BadInput(ValueError):
    """A bad name, number, position, move or file. Its message is one sentence a person can act on."""


def shorten(text: str, limit: int = 90) -> str:
    """A text as it may stand in an error message: one line, not too long."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 3] + "..."
