// Text that may not be cut: its size falls until it fits. Styles multiply their size by --fit.
const SMALLEST = 0.12;
const STEP = 0.04;
const WRAPS_UNDER = 0.62; // a name that would become smaller than this takes more lines where it may
const AIR = 0.93; // how much of its frame's height a name and its neighbours may fill

// One line: width grows with size, so one measure tells the factor.
export function fitLine(node) {
  node.style.setProperty("--fit", "1");
  const box = node.clientWidth;
  const text = node.scrollWidth;
  if (box && text > box) node.style.setProperty("--fit", String(Math.max(SMALLEST, (box / text) * 0.99)));
}

// A name that has the stage nearly to itself: one line, or more when one would be too small.
export function fitName(node, frame, wrapsUnder = WRAPS_UNDER) {
  node.classList.remove("wraps");
  fitLine(node);
  if (Number(node.style.getPropertyValue("--fit")) >= wrapsUnder) return;
  node.classList.add("wraps");
  const all = document.createRange();
  all.selectNodeContents(frame);
  stepDown(node, () => isWide(node) || all.getBoundingClientRect().height > frame.clientHeight * AIR);
}

// A title that shares its frame with others: down until nothing leaves the frame.
export function fitTitle(node, frame) {
  stepDown(node, () => isWide(node) || isWide(frame) || frame.scrollHeight > frame.clientHeight + 1);
}

function isWide(node) {
  return node.scrollWidth > node.clientWidth + 1;
}

function stepDown(node, isOver) {
  let factor = 1;
  node.style.setProperty("--fit", "1");
  while (factor > SMALLEST && isOver()) {
    factor -= STEP;
    node.style.setProperty("--fit", String(factor));
  }
}
