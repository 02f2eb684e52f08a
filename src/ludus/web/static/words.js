// How games, seats and players are called.

import { HUMAN } from "./address.js";

const LEVELS = { easy: "Easy", medium: "Medium", hard: "Hard", perfect: "Perfect" };

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export const levelWord = (level) => LEVELS[level] || capital(level);

export function titled(games, name) {
  return games.find((game) => game.name === name)?.title || name;
}

// The agent that an agent with a search has inside.
export const bare = (agent) => agent.replace(/@[\d.]+s?$/, "");

// Which level a player plays at: its agent under these options, with its share of moves by chance.
export function levelOf(game, options, player) {
  return (game.opponents || []).find(
    ({ agent, chance, options: wanted }) =>
      agent === player.agent &&
      Math.abs(chance - player.chance) < 1e-9 &&
      Object.entries(wanted).every(([name, value]) => options[name] === value),
  )?.level;
}

// A player's name and its strength, in words: {who, what}.
export function agentWords(game, player, options = {}) {
  if (player.agent === HUMAN) return { who: "You", what: "" };
  const level = levelOf(game, options, player);
  const far = player.agent.match(/@(\d+)$/);
  const parts = [
    level ? bare(player.agent) : "",
    far ? `looks at ${far[1]} positions a move` : "",
    /^alphabeta:/.test(player.agent) ? `thinks ${player.seconds} s a move` : "",
    player.chance ? `${Math.round(player.chance * 100)}% of its moves by chance` : "",
  ];
  const who = level ? levelWord(level) : bare(player.agent).replace(/^run:/, "");
  return { who, what: parts.filter(Boolean).join(", ") };
}
