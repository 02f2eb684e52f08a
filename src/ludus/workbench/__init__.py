"""What a command and a function of Python both do, once: each answer is a result (`core.results`)."""
