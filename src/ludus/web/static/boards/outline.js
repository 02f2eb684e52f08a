// The outline of a piece that covers several cells.

const UNIT = 100;

// The middles of cells in an order that walks through them, from an end.
export function walk(board, names) {
  const cells = names.map((name) => board.at.get(name));
  const near = (a, b) => Math.abs(a.x - b.x) + Math.abs(a.y - b.y) < 1.1;
  const first = cells.find((cell) => cells.filter((other) => other !== cell && near(cell, other)).length === 1) || cells[0];
  const found = [first];
  while (found.length < cells.length) {
    const next = cells.find((cell) => !found.includes(cell) && near(cell, found.at(-1)));
    if (!next) break;
    found.push(next);
  }
  return found.map((cell) => [cell.x * UNIT, cell.y * UNIT]);
}

export function straight([a, b, c]) {
  return Math.abs((b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])) < 1;
}

// The corners of a band along a line: `half` its width, and as far beyond its ends.
export function around(line, half) {
  const steps = line.slice(1).map(([x, y], k) => {
    const [dx, dy] = [x - line[k][0], y - line[k][1]];
    const long = Math.hypot(dx, dy) || 1;
    return [dx / long, dy / long];
  });
  if (!steps.length) steps.push([1, 0]);
  const side = (sign) =>
    line.map(([x, y], k) => {
      const [before, after] = [steps[Math.max(0, k - 1)], steps[Math.min(steps.length - 1, k)]];
      const ahead = k === 0 ? -half : k === line.length - 1 ? half : 0;
      const share = (sign * half) / (1 + before[0] * after[0] + before[1] * after[1]);
      const [nx, ny] = [-(before[1] + after[1]), before[0] + after[0]];
      return [x + nx * share + after[0] * ahead, y + ny * share + after[1] * ahead];
    });
  return [...side(1), ...side(-1).reverse()];
}
