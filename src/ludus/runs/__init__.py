"""Runs on disk: their folders, locks, checkpoints and metrics; learning curves and TensorBoard files."""
