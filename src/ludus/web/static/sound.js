// A knock of wood when a piece is put down, and a few notes at the end; made here, no file is loaded.

import { keep, kept } from "./keep.js";

const KNOCKS = { move: [[190, 0]], taken: [[150, 0], [120, 0.07]], won: [[392, 0], [494, 0.12], [587, 0.24]], lost: [[294, 0], [247, 0.16]], drawn: [[330, 0], [330, 0.16]] };

class Sound {
  constructor() {
    this.on = kept("sound") !== "off";
  }

  turn(on) {
    this.on = on;
    keep("sound", on ? "on" : "off");
    if (on) this.play("move");
  }

  // A browser gives sound only after somebody has touched the page: before that, nothing is heard.
  play(name) {
    if (!this.on || !navigator.userActivation?.hasBeenActive || !globalThis.AudioContext) return;
    this.context = this.context || new AudioContext();
    const wooden = name === "move" || name === "taken";
    for (const [pitch, after] of KNOCKS[name]) this.note(pitch, this.context.currentTime + after, wooden ? 0.09 : 0.35);
  }

  note(pitch, at, length) {
    const [tone, gain] = [this.context.createOscillator(), this.context.createGain()];
    tone.type = "triangle";
    tone.frequency.setValueAtTime(pitch * (length < 0.1 ? 2.2 : 1), at);
    if (length < 0.1) tone.frequency.exponentialRampToValueAtTime(pitch, at + 0.03);
    gain.gain.setValueAtTime(0.22, at);
    gain.gain.exponentialRampToValueAtTime(0.001, at + length);
    tone.connect(gain).connect(this.context.destination);
    tone.start(at);
    tone.stop(at + length);
  }
}

export const sound = new Sound();
