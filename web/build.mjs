// Bundles the page into the Python package: npm ci && npm run build
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const out = here("../src/gossamer/server/static/");

await mkdir(out, { recursive: true });
await build({
  entryPoints: { app: here("src/main.ts") },
  outdir: out,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2022"],
  legalComments: "none",
  logLevel: "info",
});
await build({ entryPoints: { app: here("src/app.css") }, outdir: out, bundle: true, minify: true, target: ["es2022"] });
for (const name of ["index.html", "icon.svg"]) await copyFile(here(`src/${name}`), `${out}${name}`);

const licences = [];
for (const name of ["sigma", "graphology", "graphology-utils", "events"]) {
  const { version, license } = JSON.parse(await readFile(here(`node_modules/${name}/package.json`), "utf-8"));
  let text = "";
  for (const file of ["LICENSE", "LICENSE.txt"]) text ||= await readFile(here(`node_modules/${name}/${file}`), "utf-8").catch(() => "");
  licences.push(`${name} ${version} (${license})\n\n${text.trim()}`);
}
await writeFile(`${out}THIRD_PARTY.txt`, `${licences.join(`\n\n${"-".repeat(80)}\n\n`)}\n`);
