// Bundles the pages' parts into static/vendor: one script and one style sheet a page, the typeface beside them.
// `npm ci && node build.mjs` is the whole build; nothing is fetched when a page is open.
import { build } from "esbuild";
import { copyFile, mkdir, rm } from "node:fs/promises";

const pages = [
  { room: "web_display/static", page: "screen" },
  { room: "kiosk/static", page: "console" },
];

// What the licences of the bundled parts ask for.
const licences = [
  ["node_modules/@fontsource-variable/archivo/LICENSE", "LICENCE-archivo.txt"],
  ["node_modules/socket.io-client/LICENSE", "LICENCE-socket.io-client.txt"],
];

for (const { room, page } of pages) {
  const outdir = `${room}/vendor`;
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  await build({
    entryPoints: [`${room}/${page}.js`, `${room}/${page}.css`],
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
