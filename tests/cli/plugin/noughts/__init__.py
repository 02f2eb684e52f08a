"""Noughts and crosses, as another package would bring it: what the registry needs to know of it."""

from ludus.core.entry import Entry, Option

ENTRY = Entry(
    name="noughts",
    about="Three in a row win.",
    room="noughts",
    seats=("cross", "nought"),
    actions=9,
    options=(Option("misere", False, "Whether three in a row lose instead."),),
    solvers=("perfect", "perfect:hardest"),
    rules="noughts.rules:Noughts",
    recipes="noughts.recipes:recipes",
)
