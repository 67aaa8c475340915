// Bundles the pages' parts into static/vendor: one script and one style sheet a page, the typeface beside them.
// `npm ci && node build.mjs` is the whole build; nothing is fetched when a page is open.
import { build } from "esbuild";
import { existsSync } from "node:fs";
import { copyFile, mkdir, rm } from "node:fs/promises";

const rooms = [
  { room: "web_display/static", pages: ["screen"] },
  { room: "kiosk/static", pages: ["console", "crew", "stage", "desk", "signed_in", "sign_in", "people", "roster", "draw_log", "reports", "setup", "witness", "training", "trust", "check"] },
];

// What the licences of the bundled parts ask for.
const licences = [
  ["node_modules/@fontsource-variable/archivo/LICENSE", "LICENCE-archivo.txt"],
  ["node_modules/@noble/hashes/LICENSE", "LICENCE-noble-hashes.txt"],
  ["node_modules/socket.io-client/LICENSE", "LICENCE-socket.io-client.txt"],
  ["node_modules/signature_pad/LICENSE", "LICENCE-signature_pad.txt"],
  ["node_modules/uplot/LICENSE", "LICENCE-uplot.txt"],
];

for (const { room, pages } of rooms) {
  const outdir = `${room}/vendor`;
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  await build({
    entryPoints: pages.flatMap((page) => [`${room}/${page}.js`, `${room}/${page}.css`]).filter(existsSync),
    outdir,
    bundle: true,
    minify: true,
    format: "esm",
    target: ["chrome117", "firefox115", "safari17"],
    loader: { ".woff2": "file" },
    assetNames: "[name]",
    // A style sheet is bundled from its own folder: node_modules is found from the top.
    nodePaths: ["node_modules"],
    legalComments: "none",
    logLevel: "warning",
  });
  for (const [from, to] of licences) await copyFile(from, `${outdir}/${to}`);
}
