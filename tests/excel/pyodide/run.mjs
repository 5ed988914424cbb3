// Installs wheels into Pyodide, as xlwings Lite does in a browser, and runs check.py there.
// node run.mjs PYODIDE_FOLDER WHEEL_FOLDER SCENARIO_FOLDER; exits with 1 where the check fails.
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

// Node would print the line of Pyodide's source where an error arose, megabytes long.
process.on("uncaughtException", (error) => {
  console.error(error.stack ?? String(error));
  process.exit(1);
});

const [pyodideFolder, wheels, scenarios] = process.argv.slice(2).map((path) => resolve(path));
const { loadPyodide } = await import(pathToFileURL(join(pyodideFolder, "pyodide.mjs")));
const pyodide = await loadPyodide({ env: { XLWINGS_LICENSE_KEY: "noncommercial", HOME: "/home/pyodide" } });
for (const name of readdirSync(wheels).filter((name) => name.endsWith(".whl"))) {
  pyodide.unpackArchive(new Uint8Array(readFileSync(join(wheels, name))), "wheel");
}
pyodide.FS.mkdir("/scenarios");
for (const name of readdirSync(scenarios).filter((name) => name.endsWith(".toml"))) {
  pyodide.FS.writeFile(`/scenarios/${name}`, readFileSync(join(scenarios, name)));
}
const check = readFileSync(join(dirname(fileURLToPath(import.meta.url)), "check.py"), "utf8");
const problems = (await pyodide.runPythonAsync(check)).toJs();
for (const problem of problems) console.error(problem);
process.exit(problems.length ? 1 : 0);
