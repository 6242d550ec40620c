// Judges the sample that the example `edges` prints of a folder of TypeScript by where the TypeScript
// compiler's service goes.
//
//     npm install typescript@5
//     node typescript_goto.js FOLDER SAMPLE
//
// Right, wrong and no opinion are as in jedi_goto.py; of imports the 20 lines from the
// import's on are looked at, and lines may differ by two.
const fs = require("fs");
const path = require("path");
const ts = require("typescript");

const root = path.resolve(process.argv[2]);
const rows = fs.readFileSync(process.argv[3], "utf8").trimEnd().split("\n").map((row) => row.split("\t"));

const files = new Set();
function list(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    if (entry.isDirectory()) list(place);
    else if (/\.(ts|tsx|mts|js|mjs)$/.test(entry.name)) files.add(place);
  }
}
list(root);

const options = {
  allowJs: true,
  baseUrl: root,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  noEmit: true,
  paths: { zod: ["packages/zod/src/index.ts"], "zod/*": ["packages/zod/src/*", "packages/zod/src/*/index.ts"] },
  strict: true,
  target: ts.ScriptTarget.ESNext,
};
const service = ts.createLanguageService({
  ...ts.sys,
  getCompilationSettings: () => options,
  getCurrentDirectory: () => root,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  getScriptFileNames: () => [...files],
  getScriptSnapshot: (file) =>
    fs.existsSync(file) ? ts.ScriptSnapshot.fromString(fs.readFileSync(file, "utf8")) : undefined,
  getScriptVersion: () => "1",
  useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
});

function judged([kind, usePath, useLine, targetPath, targetLine, name]) {
  const file = path.join(root, usePath);
  if (!files.has(file) || !files.has(path.join(root, targetPath))) return ["other language", []];
  const lines = fs.readFileSync(file, "utf8").split("\n");
  const word = name.split(".").pop().replace(/\$/g, "\\$");
  const seen = [];
  const first = Number(useLine) - 1;
  let offset = lines.slice(0, first).reduce((sum, line) => sum + line.length + 1, 0);
  for (let row = first; row < Math.min(first + (kind === "imports" && name ? 20 : 1), lines.length); row++) {
    const pattern = name ? new RegExp(`(?<![\\w$])${word}(?![\\w$])`, "g") : /['"][^'"]+['"]/g;
    for (const match of lines[row].matchAll(pattern)) {
      const at = offset + match.index + (name ? 0 : 1);
      for (const found of service.getDefinitionAtPosition(file, at) ?? []) {
        const source = service.getProgram().getSourceFile(found.fileName);
        const line = source ? source.getLineAndCharacterOfPosition(found.textSpan.start).line + 1 : 0;
        const place = path.relative(root, found.fileName);
        // Another declaration of the same function, which has several for its types.
        const container = name.split(".").slice(0, -1).join(".");
        const inside = (found.containerName ?? "").startsWith('"') ? "" : found.containerName ?? "";
        const isSame = found.kind === "function" && found.name === word && inside === container;
        if (place === targetPath && (!name || Math.abs(line - targetLine) <= 2 || isSame)) return ["right", []];
        seen.push(`${place}:${line}`);
      }
    }
    offset += lines[row].length + 1;
  }
  return [seen.length ? "wrong" : "no opinion", seen];
}

const counts = {};
const wrong = [];
for (const row of rows) {
  const [verdict, seen] = judged(row);
  const key = `${row[0]} ${verdict}`;
  counts[key] = (counts[key] ?? 0) + 1;
  if (verdict === "wrong") wrong.push([...row, ...seen.slice(0, 2)].join("\t"));
}
for (const key of Object.keys(counts).sort()) console.log(key, counts[key]);
console.log(wrong.join("\n"));
