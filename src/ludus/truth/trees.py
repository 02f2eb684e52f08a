"""The tree of positions that a search has explored, as a picture: each with its number and the move that led there."""

from __future__ import annotations

from typing import Any

from ludus.core.game import Game
from ludus.core.svg import INK, LINE, MARK, PAPER, WHITE, WOOD, Picture
from ludus.games import part
from ludus.search.solver import Solution

WIDTH, HEIGHT, GAP, DOWN, EDGE = 62.0, 30.0, 8.0, 54.0, 24.0
HEAD = 44.0


def draw_tree(game: Game, state: Any, found: Solution) -> str:
    """A solution's line stands out, and what is left out for want of room is said."""
    count = min(found.explored, len(found.tree.parent))
    parent, move = found.tree.parent[:count].tolist(), found.tree.move[:count].tolist()
    children: list[list[int]] = [[] for _ in range(count)]
    for node in range(1, count):
        children[parent[node]].append(node)
    labels, depth = _labels(game, state, children, move)
    columns = _columns(children)
    right = max(columns) * (WIDTH + GAP) + WIDTH + 2 * EDGE
    left_out = f", the first {count:,} shown" if count < found.explored else ""
    title = f"{game.format(state)}: {found.explored:,} positions explored{left_out}"
    picture = Picture(max(right, 10.0 * len(title)), HEAD + (max(depth) + 1) * DOWN + EDGE, title)
    picture.text(max(right, 10.0 * len(title)) / 2, HEAD / 2, title, 15, INK)
    solution = _on_the_way(parent) if found.solved and count == found.explored else set()
    places = [
        (EDGE + x * (WIDTH + GAP) + WIDTH / 2, HEAD + y * DOWN + HEIGHT / 2)
        for x, y in zip(columns, depth, strict=True)
    ]
    for node in range(1, count):
        (x1, y1), (x2, y2) = places[parent[node]], places[node]
        ours = node in solution
        picture.line((x1, y1 + HEIGHT / 2), (x2, y2 - HEIGHT / 2), MARK if ours else LINE, 2.5 if ours else 1)
    for node, (x, y) in enumerate(places):
        dead = not children[node] and node not in solution
        fill = WOOD if node in solution else PAPER if dead else WHITE
        picture.box(x - WIDTH / 2, y - HEIGHT / 2, WIDTH, HEIGHT, fill, MARK if node in solution else LINE)
        picture.text(x, y - 6, labels[node], 12, INK)
        picture.text(x, y + 8, str(node + 1), 9)
    return str(picture)


def _labels(game: Game, state: Any, children: list[list[int]], move: list[int]) -> tuple[list[str], list[int]]:
    """The move that leads to each position, as text, and how deep it lies."""
    twin = part(game, "twin")
    board, labels, depth = twin.from_state(game, state), ["start"] * len(children), [0] * len(children)

    def visit(node: int) -> None:
        here = twin.to_state(game, board)
        for child in children[node]:
            labels[child], depth[child] = game.format_move(here, move[child]), depth[node] + 1
            undo = twin.make(board, move[child])
            visit(child)
            twin.unmake(board, undo)

    visit(0)
    return labels, depth


def _columns(children: list[list[int]]) -> list[float]:
    """Leaves side by side, and every other position above the middle of its own."""
    columns, taken = [0.0] * len(children), 0

    def visit(node: int) -> None:
        nonlocal taken
        for child in children[node]:
            visit(child)
        if children[node]:
            columns[node] = (columns[children[node][0]] + columns[children[node][-1]]) / 2
        else:
            columns[node], taken = float(taken), taken + 1

    visit(0)
    return columns


def _on_the_way(parent: list[int]) -> set[int]:
    """The positions that lead to the last one, which solved it."""
    found, node = set(), len(parent) - 1
    while node >= 0:
        found.add(node)
        node = parent[node]
    return found
