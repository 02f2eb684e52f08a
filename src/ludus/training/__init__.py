"""Training: the loop, its progress, snapshots, and shipping a run's agent with the package."""
