// Questions to the server. One that does not answer is asked again: it may have been closed and be started anew.

import { banner } from "./dom.js";

const PAUSES = [300, 600, 1000, 2000, 2000, 3000, 3000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000];

export class Refused extends Error {}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function fetched(path, options) {
  for (let again = 0; ; again += 1) {
    try {
      const answer = await fetch(path, options);
      banner("");
      return answer;
    } catch (error) {
      if (error.name === "AbortError") throw error;
      if (again >= PAUSES.length) {
        banner("The server does not answer. Start it again with ludus serve, then reload this page.");
        throw new Refused("the server does not answer.");
      }
      banner("The server does not answer. This page waits for it; your game is in the address above.");
      await pause(PAUSES[again]);
      if (options.signal?.aborted) throw new DOMException("", "AbortError");
    }
  }
}

async function document_of(answer) {
  let found;
  try {
    found = await answer.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused("the server's answer cannot be read.");
  }
  if (!answer.ok) throw new Refused(found.error || `the server refused this (${answer.status}).`);
  return found;
}

export async function ask(name, body = {}, signal = undefined) {
  const headers = { "content-type": "application/json" };
  return document_of(await fetched(`/api/${name}`, { method: "POST", headers, body: JSON.stringify(body), signal }));
}

export async function get(name, signal = undefined) {
  return document_of(await fetched(`/api/${name}`, { signal }));
}
