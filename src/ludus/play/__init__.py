"""Games played: by whom, how they went, and who is better."""
