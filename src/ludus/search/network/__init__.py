"""Tree search with a network that gives a policy and a value: Gumbel AlphaZero, on the device and on the host."""
