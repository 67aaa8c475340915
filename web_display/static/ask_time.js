// Asks the server what time it is, and lets the page's clock know how long the question was under way.
const AT_FIRST = 3;
const AGAIN_MS = 20_000;
const PATIENCE_MS = 4000;
const OLD_MS = 1000;

// Asks at every connection and now and then. Gives what to call with each message's time before the clock hears it.
export function askTime(socket, clock) {
  let left = 0;

  const ask = () => {
    const askedAt = performance.now();
    socket.timeout(PATIENCE_MS).emit("time", (fault, now) => {
      if (fault || typeof now !== "number") return;
      clock.measured(now, askedAt);
      left -= 1;
      if (left > 0) ask();
    });
  };
  const askAgain = (times) => {
    left = times;
    ask();
  };

  socket.on("connect", () => {
    clock.restart();
    askAgain(AT_FIRST);
  });
  setInterval(() => socket.connected && askAgain(1), AGAIN_MS);
  // Either it was long under way, or the server's clock was set back: only a question can tell.
  return (serverNow) => clock.known && clock.now() - serverNow > OLD_MS && askAgain(AT_FIRST);
}
