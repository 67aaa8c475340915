// Reads slips back with npos, an ESC/POS parser by others. Standard input: JSON array of base64; output: for each slip
// its commands in order, {name, args (hex), text}. It knows nothing of the code that made the bytes.
//
// npos lacks one command, GS ( k (two-dimensional codes); its frame is npos' own rule "16-bit length, then so many bytes".
// Letters: npos leaves bytes, iconv-lite (which it brings) makes letters of them by the page that ESC t chose. Epson's
// table: 0 PC437, 2 PC850, 16 WPC1252, 19 PC858.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(import.meta.url);
const Parser = require("npos/lib/parser");
const known = require("npos/lib/parser/rules");
const iconv = require("iconv-lite");

const GS = 0x1d;
const PAGES = { 0: "cp437", 2: "cp850", 16: "windows-1252", 19: "cp858" };

const parser = new Parser({ ...known, [GS]: { ...known[GS], "(k": [0, "d16"] } });

function decode(raw) {
  const parsed = parser.analyze(raw);
  if (parsed.error) throw parsed.error;
  let page = PAGES[0];
  return parsed.tree.map((node) => {
    const bytes = raw.subarray(node.offset, node.offset + node.length);
    if (node.ascii === "STX") return { name: "text", args: "", text: iconv.decode(bytes, page) };
    const name = `${node.ascii} ${node.fn}`;
    const args = bytes.subarray(1 + node.fn.length);
    if (name === "ESC @") page = PAGES[0];
    if (name === "ESC t") {
      page = PAGES[args[0]];
      if (!page) throw new Error(`no table for code page ${args[0]}`);
    }
    return { name, args: args.toString("hex"), text: "" };
  });
}

const slips = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(slips.map((slip) => decode(Buffer.from(slip, "base64")))));
