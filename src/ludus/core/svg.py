"""The few SVG shapes a board needs."""

from __future__ import annotations

import math
from html import escape

INK, PAPER, LINE, WOOD = "#1d1f24", "#f7f4ec", "#8d8675", "#e3d5b8"
BLACK, WHITE, MARK = "#25272c", "#fbfaf5", "#c9622f"


class Picture:
    """Shapes gathered in drawing order; `str` makes the document."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self._shapes: list[str] = []
        self._head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}" role="img" font-family="system-ui, sans-serif"><title>{escape(title)}</title>'
        )
        self.box(0, 0, width, height, PAPER)

    def box(self, x: float, y: float, width: float, height: float, fill: str, line: str = "none") -> None:
        self._add(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" stroke="{line}"/>')

    def disc(self, x: float, y: float, radius: float, fill: str, line: str = INK) -> None:
        self._add(f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{radius:g}" fill="{fill}" stroke="{line}"/>')

    def polygon(self, points: list[tuple[float, float]], fill: str, line: str = LINE) -> None:
        path = " ".join(f"{x:.2f},{y:.2f}" for x, y in points)
        self._add(f'<polygon points="{path}" fill="{fill}" stroke="{line}" stroke-linejoin="round"/>')

    def line(self, start: tuple[float, float], end: tuple[float, float], color: str, width: float) -> None:
        (x1, y1), (x2, y2) = start, end
        self._add(
            f'<line x1="{x1:.2f}" y1="{y1:.2f}" x2="{x2:.2f}" y2="{y2:.2f}" stroke="{color}" '
            f'stroke-width="{width:g}" stroke-linecap="round"/>'
        )

    def text(self, x: float, y: float, text: str, size: float = 13, fill: str = LINE) -> None:
        """Text centred on a point."""
        self._add(
            f'<text x="{x:.2f}" y="{y:.2f}" font-size="{size:g}" fill="{fill}" text-anchor="middle" '
            f'dy="0.35em">{escape(text)}</text>'
        )

    def _add(self, shape: str) -> None:
        self._shapes.append(shape)

    def __str__(self) -> str:
        return "\n".join([self._head, *self._shapes, "</svg>"]) + "\n"


def hexagon(x: float, y: float, radius: float) -> list[tuple[float, float]]:
    """The corners of a hexagon that stands on a corner, the first at the top, clockwise."""
    angles = (math.radians(60 * k - 90) for k in range(6))
    return [(x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in angles]
