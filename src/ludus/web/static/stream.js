// A question whose answer comes in parts: a document a line, each told as soon as it is there.

import { Refused } from "./api.js";

export async function parts(name, body, told, signal) {
  const headers = { "content-type": "application/json" };
  let answer;
  try {
    answer = await fetch(`/api/${name}`, { method: "POST", headers, body: JSON.stringify(body), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused("the server does not answer.");
  }
  if (!answer.ok) throw new Refused((await answer.json().catch(() => ({}))).error || `the server refused this (${answer.status}).`);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read().catch((error) => {
      throw error.name === "AbortError" ? error : new Refused("the answer broke off.");
    });
    rest += value || "";
    const lines = rest.split("\n");
    rest = lines.pop();
    for (const line of lines.filter(Boolean)) {
      const found = JSON.parse(line);
      if (found.error) throw new Refused(found.error);
      told(found);
      if (found.done) return;
    }
    if (done) throw new Refused("the answer broke off.");
  }
}
