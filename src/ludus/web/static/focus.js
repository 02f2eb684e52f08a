// What is drawn anew keeps the focus where it was.

const FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]";

// Replaces what stands in a place; what had the focus there has it again.
export function refill(place, ...children) {
  const at = [...place.querySelectorAll(FOCUSABLE)].indexOf(document.activeElement);
  place.replaceChildren(...children);
  if (at >= 0) place.querySelectorAll(FOCUSABLE)[at]?.focus({ preventScroll: true });
}
