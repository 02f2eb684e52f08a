// Scales and ticks of a chart, as numbers and texts.

// Some 1-2-5 steps between two values, both ends within.
export function ticks(low, high, count = 5) {
  const raw = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((k) => k * power).find((size) => size >= raw * 0.999);
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at += 1) found.push(at * step);
  return found;
}

// Powers of ten, with twos and fives between where there are few.
export function logTicks(low, high) {
  const found = [];
  const wide = Math.log10(high / low) > 2;
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
    for (const k of wide ? [1] : [1, 2, 5]) {
      const value = k * 10 ** power;
      if (value >= low * 0.999 && value <= high * 1.001) found.push(value);
    }
  }
  return found;
}

// As few letters as possible: 12k, 1.5M, 0.03.
export function short(value) {
  const size = Math.abs(value);
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (size >= 1e4) return `${Number((value / 1e3).toPrecision(3))}k`;
  if (size && size < 1e-4) return value.toExponential(0);
  return Number(value.toPrecision(4)).toString().replace("-", "−");
}

export const games = (value) => Math.round(value).toLocaleString("en");

// The range of what is shown, with a margin; a constant gets one too.
export function range(values, logarithmic) {
  let [low, high] = [Math.min(...values), Math.max(...values)];
  if (logarithmic) {
    high = Math.max(high, low * 3);
    const air = (high / low) ** 0.05;
    return [low / air, high * air];
  }
  if (high - low < 1e-9) [low, high] = [low - (Math.abs(low) * 0.05 || 0.5), high + (Math.abs(high) * 0.05 || 0.5)];
  const air = 0.05 * (high - low);
  return [low - air, high + air];
}

// The point of a curve that is nearest to a place on the axis.
export function nearest(steps, at) {
  let best = 0;
  steps.forEach((step, k) => {
    if (Math.abs(step - at) < Math.abs(steps[best] - at)) best = k;
  });
  return best;
}
