// Builds the vendored modules anew from the versions that package.json pins. Run by `nox -s vendor`.

import { readFile, writeFile } from "node:fs/promises";
import { build } from "esbuild";

const { dependencies } = JSON.parse(await readFile("package.json", "utf8"));
const versions = (...names) => names.map((name) => `${name} ${dependencies[name]}`).join(", ");
const licence = (name) => readFile(`LICENSE-${name}.txt`, "utf8");

const shared = { bundle: true, minify: true, format: "esm", legalComments: "none" };
const d3 = versions("d3-scale", "d3-shape");
await build({ ...shared, entryPoints: ["entry.js"], outfile: "d3.js", banner: { js: `/*!\n${d3}\n\n${await licence("d3")}*/` } });
await build({
  ...shared,
  entryPoints: ["fsrs-entry.js"],
  outfile: "fsrs.js",
  banner: { js: `/*!\n${versions("ts-fsrs")}\n\n${await licence("ts-fsrs")}*/` },
});

// One file, published as it is: only the lines that name it are ours.
const player = await readFile("node_modules/lite-youtube-embed/src/lite-yt-embed.js", "utf8");
const credit = `/*! ${versions("lite-youtube-embed")}. Copyright 2019 Paul Irish, Apache License 2.0: https://www.apache.org/licenses/LICENSE-2.0
 *  Unchanged but for these lines; the licence stands beside this file in the source: LICENSE-lite-youtube-embed.txt */
`;
await writeFile("lite-youtube-embed.js", credit + player);
