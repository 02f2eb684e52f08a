"""The version of Ludus: one line, which `make release` writes."""

__version__ = "0.1.0"
