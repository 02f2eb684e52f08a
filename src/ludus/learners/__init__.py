"""Learners: one file a family, each a frozen `Config` and pure functions, compiled and mapped over seeds.

`init(config, game, key)` makes a learner's whole state (weights, optimiser, memory, games under way, random key);
`advance(config, game, state)` plays a while and learns from it; `weights(state)` is what a player needs of it.
"""
