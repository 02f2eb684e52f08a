"""The error for input that cannot be used."""


class BadInput(ValueError):
    """A bad name, number, position, move or file. Its message is one sentence a person can act on."""


def shorten(text: str, limit: int = 90) -> str:
    """A text for an error message: on one line, and not too long."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 3] + "..."
