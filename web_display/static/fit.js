// Text that may not be cut: its size falls until it fits. Styles multiply their size by --fit.
const SMALLEST = 0.3;

// One line: width grows with size, so one measure tells the factor.
export function fitLine(node) {
  node.style.setProperty("--fit", "1");
  const box = node.clientWidth;
  const text = node.scrollWidth;
  if (box && text > box) node.style.setProperty("--fit", String(Math.max(SMALLEST, (box / text) * 0.99)));
}

// Several lines, or neighbours that need the room: step down until nothing overflows `frame`.
export function fitBlock(node, frame) {
  let factor = 1;
  const over = () =>
    frame.scrollHeight > frame.clientHeight + 1 ||
    frame.scrollWidth > frame.clientWidth + 1 ||
    node.scrollWidth > node.clientWidth + 1;
  node.style.setProperty("--fit", "1");
  while (factor > SMALLEST && over()) {
    factor -= 0.04;
    node.style.setProperty("--fit", String(factor));
  }
}
