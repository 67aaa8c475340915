// A walk over the floor that goes round the banks: the shortest on a grid, then its corners.
const CELLS = 64; // along the longer side
const AIRS = [0.8, 0]; // how far from a bank one walks, in cells; where aisles are too narrow for it, along the banks
const WAYS = [[0, 1], [1, 0], [0, -1], [-1, 0]];

// `box` {west, south, east, north}; `banks` to be walked round; `from`, `to` points {x, y}. Corners from first to last.
export function walk(box, banks, from, to) {
  for (const air of AIRS) {
    const grid = makeGrid(box, banks, air);
    const [start, end] = [nearestFree(grid, from), nearestFree(grid, to)];
    const came = start === null || end === null ? null : search(grid, start, (at) => at === end, isFree(grid));
    if (!came) continue;
    const cells = [end];
    while (cells[0] !== start) cells.unshift(came.get(cells[0]));
    return [from, ...corners(cells.map(grid.middle)), to];
  }
  return [from, to];
}

function makeGrid({ west, south, east, north }, banks, air) {
  const size = Math.max(east - west, north - south) / CELLS || 1;
  const columns = Math.max(1, Math.ceil((east - west) / size));
  const rows = Math.max(1, Math.ceil((north - south) / size));
  const column = (x) => Math.min(columns - 1, Math.max(0, Math.floor((x - west) / size)));
  const row = (y) => Math.min(rows - 1, Math.max(0, Math.floor((y - south) / size)));
  const middle = (n) => ({ x: west + ((n % columns) + 0.5) * size, y: south + (Math.floor(n / columns) + 0.5) * size });
  const shut = Array.from({ length: columns * rows }, (_, n) => {
    const { x, y } = middle(n);
    return banks.some((bank) => Math.max(bank.west - x, x - bank.east, bank.south - y, y - bank.north) <= size * air);
  });
  return { columns, rows, shut, middle, cell: ({ x, y }) => row(y) * columns + column(x) };
}

const isFree = (grid) => (cell) => !grid.shut[cell];

// The free cell next to a point: a machine stands in its bank, and one walks up to it.
function nearestFree(grid, point) {
  let found = null;
  search(grid, grid.cell(point), (at) => {
    if (!grid.shut[at]) found = at;
    return found !== null;
  }, () => true);
  return found;
}

// Breadth first, four ways, until `isThere`; whence each cell was reached, or null.
function search({ columns, rows }, start, isThere, isOpen) {
  const came = new Map([[start, start]]);
  const turn = [start];
  for (let n = 0; n < turn.length; n += 1) {
    const at = turn[n];
    if (isThere(at)) return came;
    const [x, y] = [at % columns, Math.floor(at / columns)];
    for (const [dx, dy] of WAYS) {
      const [u, v] = [x + dx, y + dy];
      const next = v * columns + u;
      if (u < 0 || v < 0 || u >= columns || v >= rows || came.has(next) || !isOpen(next)) continue;
      came.set(next, at);
      turn.push(next);
    }
  }
  return null;
}

function corners(points) {
  return points.filter((point, n) => {
    const [before, after] = [points[n - 1], points[n + 1]];
    if (!before || !after) return true;
    return (point.x - before.x) * (after.y - point.y) !== (point.y - before.y) * (after.x - point.x);
  });
}
