"""The one error that means: what you typed cannot be used, and here is why."""


class BadInput(ValueError):
    """A bad name, number, position, move or file. Its message is one sentence a person can act on."""
