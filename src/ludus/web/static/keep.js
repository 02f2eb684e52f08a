// What this browser keeps between visits: the light, the sound. A browser that keeps nothing still plays.

export function kept(name) {
  try {
    return localStorage.getItem(`ludus.${name}`);
  } catch {
    return null;
  }
}

// Whether it was kept.
export function keep(name, text) {
  try {
    localStorage.setItem(`ludus.${name}`, text);
    return true;
  } catch {
    return false;
  }
}
