"""A picture of the tree of positions that a search explored: each with its number and the move that led there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ludus.core.game import Game
from ludus.core.svg import INK, LINE, MARK, PAPER, WHITE, WOOD, Picture
from ludus.games import part
from ludus.search.puzzle.solver import PuzzleSolution

WIDTH, HEIGHT, GAP, DOWN, EDGE = 62.0, 30.0, 8.0, 54.0, 24.0
HEAD = 44.0


def draw_tree(game: Game, state: Any, found: PuzzleSolution) -> str:
    """Draw one search. The solution is highlighted; the title says if positions are left out."""
    return draw_trees(game, state, {game.format(state): found})


def draw_trees(game: Game, state: Any, found: Mapping[str, PuzzleSolution]) -> str:
    """Draw several searches of one puzzle side by side, each under its name."""
    plans = [_plan(game, state, name, each) for name, each in found.items()]
    width, height = sum(plan.width for plan in plans), max(plan.height for plan in plans)
    picture, left = Picture(width, height, "; ".join(plan.title for plan in plans)), 0.0
    for plan in plans:
        _paint(picture, plan, left)
        left += plan.width
    return str(picture)


class _Plan(NamedTuple):
    """The layout of one tree."""

    title: str
    labels: list[str]
    parent: list[int]
    places: list[tuple[float, float]]
    solution: set[int]
    width: float
    height: float


def _plan(game: Game, state: Any, name: str, found: PuzzleSolution) -> _Plan:
    count = min(found.explored, len(found.tree.parent))
    parent, move = found.tree.parent[:count].tolist(), found.tree.move[:count].tolist()
    children: list[list[int]] = [[] for _ in range(count)]
    for node in range(1, count):
        children[parent[node]].append(node)
    labels, depth = _labels(game, state, children, move)
    columns = _columns(children)
    left_out = f", the first {count:,} shown" if count < found.explored else ""
    title = f"{name}: {found.explored:,} positions explored{left_out}"
    width = max(max(columns) * (WIDTH + GAP) + WIDTH + 2 * EDGE, 10.0 * len(title))
    places = [
        (EDGE + x * (WIDTH + GAP) + WIDTH / 2, HEAD + y * DOWN + HEIGHT / 2)
        for x, y in zip(columns, depth, strict=True)
    ]
    solution = _on_the_way(parent) if found.solved and count == found.explored else set()
    return _Plan(title, labels, parent, places, solution, width, HEAD + (max(depth) + 1) * DOWN + EDGE)


def _paint(picture: Picture, plan: _Plan, left: float) -> None:
    picture.text(left + plan.width / 2, HEAD / 2, plan.title, 15, INK)
    inner = set(plan.parent)
    for node in range(1, len(plan.places)):
        (x1, y1), (x2, y2) = plan.places[plan.parent[node]], plan.places[node]
        ours = node in plan.solution
        start, end = (left + x1, y1 + HEIGHT / 2), (left + x2, y2 - HEIGHT / 2)
        picture.line(start, end, MARK if ours else LINE, 2.5 if ours else 1)
    for node, (x, y) in enumerate(plan.places):
        ours = node in plan.solution
        fill = WOOD if ours else WHITE if node in inner else PAPER
        picture.box(left + x - WIDTH / 2, y - HEIGHT / 2, WIDTH, HEIGHT, fill, MARK if ours else LINE)
        picture.text(left + x, y - 6, plan.labels[node], 12, INK)
        picture.text(left + x, y + 8, str(node + 1), 9)


def _labels(game: Game, state: Any, children: list[list[int]], move: list[int]) -> tuple[list[str], list[int]]:
    """The move that leads to each position, in notation, and the depth of the position."""
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
    """The column of each position: leaves side by side, and every other position above the middle of its children."""
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
    """The positions on the path to the last one, which is solved."""
    found, node = set(), len(parent) - 1
    while node >= 0:
        found.add(node)
        node = parent[node]
    return found
