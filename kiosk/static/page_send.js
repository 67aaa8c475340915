// What a page sends: JSON or a picture, with the mark that a page elsewhere cannot put on it.
export const OURS = Object.freeze({ "Content-Type": "application/json", "X-Floordraw": "1" });

// The answer itself. Throws when there is none. Nobody signed in, or somebody else: the page is told.
export async function ask(path, body, { type = OURS["Content-Type"], patience = 12_000 } = {}) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { ...OURS, "Content-Type": type },
    body,
    cache: "no-store",
    signal: AbortSignal.timeout(patience),
  });
  if (answer.status === 401) dispatchEvent(new Event("signed-out"));
  return answer;
}

// The answer's {status, said}.
export async function send(path, body, { patience = 12_000 } = {}) {
  const answer = await ask(path, JSON.stringify(body), { patience });
  return { status: answer.status, said: await answer.json() };
}
