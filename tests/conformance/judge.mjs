// Judges what the official suite wrote down about one revision:
//
//     node judge.mjs REVISION RESULTS PENDING
//
// RESULTS is the suite's output folder, PENDING a file of lines "REVISION SCENARIO". A scenario passes
// when no check of it failed, warned or was skipped. All that must pass does, except what is pending,
// and what is pending must not: so that list can only shrink.

import fs from "node:fs";
import path from "node:path";

const [revision, results, pendingFile] = process.argv.slice(2);
const suite = path.join(import.meta.dirname, "node_modules/@modelcontextprotocol/conformance");

// What the revision does not score and we hold ourselves to all the same.
const unscored = {
  "2026-07-28": ["json-schema-2020-12", "http-header-validation", "http-custom-header-server-validation"],
  "2025-11-25": ["json-schema-2020-12", "server-session-lifecycle"],
};

const ran = new Map();
for (const folder of fs.readdirSync(results)) {
  const name = folder.match(/^server-(.*)-\d{4}-\d\d-\d\dT[\dZ-]+$/)[1];
  ran.set(name, JSON.parse(fs.readFileSync(path.join(results, folder, "checks.json"), "utf8")));
}

// The suite freezes what a revision requires in a file; before there were such files, it is all that applies.
const frozen = path.join(suite, "requirements", `${revision}.yaml`);
let required = [...ran.keys()];
if (fs.existsSync(frozen)) {
  const section = fs.readFileSync(frozen, "utf8").match(/^server:\n((?: {2}- .*\n| *#.*\n|\n)*)/m)[1];
  required = [...section.matchAll(/^ {2}- ([\w-]+)/gm)].map((line) => line[1]);
}

const pending = new Set(
  fs
    .readFileSync(pendingFile, "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([of]) => of === revision)
    .map(([, name]) => name),
);

let passed = 0;
let warnings = 0;
let wrong = 0;
const say = (line) => {
  wrong += 1;
  console.log(`  ${line}`);
};
const judge = (name) => {
  const checks = ran.get(name) ?? [{ id: "-", status: "did not run" }];
  const bad = checks.filter(({ status }) => status !== "SUCCESS" && status !== "INFO");
  const awaited = pending.delete(name);
  if (checks.length === 0) bad.push({ id: "-", status: "no checks" });
  if (bad.length === 0 && awaited) say(`${name} passes: remove it from ${pendingFile}`);
  for (const { id, status, errorMessage } of awaited ? [] : bad) say(`${name} ${id}: ${status}: ${errorMessage ?? ""}`);
  if (!awaited) warnings += bad.filter(({ status }) => status === "WARNING").length;
  return bad.length === 0;
};
for (const name of required) if (judge(name)) passed += 1;
const beside = (unscored[revision] ?? []).filter(judge).length;
for (const name of pending) say(`${name} is pending and not of this revision`);

const awaited = required.length - passed;
console.log(
  `conformance ${revision}: ${passed} of ${required.length} passed, ${beside} beside the score, ` +
    `${warnings} warnings${awaited ? `, ${awaited} not expected to pass yet` : ""}`,
);
process.exit(wrong === 0 ? 0 : 1);
