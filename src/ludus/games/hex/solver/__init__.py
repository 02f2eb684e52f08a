"""Hex solved: by a tablebase on small boards, by proof-number search on larger ones."""
