"""The slow truth: the rules of every game again, written to be read rather than to be fast.

Each module takes and returns nothing but text, through the same three functions: `moves`, `play` and
`result`. They are the judge in the tests and the peer in the bench, and share no code with `ludus.games`.
"""
