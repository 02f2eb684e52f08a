"""Solitaire Chess."""
