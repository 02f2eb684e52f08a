"""The papers: one module each, one function a figure or table. `study` is what they share."""
