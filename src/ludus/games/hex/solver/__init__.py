"""Hex solved: by table on small boards, by proof search on larger ones."""
