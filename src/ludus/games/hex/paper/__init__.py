"""The Hex study, reproduced."""
