// Everything that a client does, with the official TypeScript SDK of before 2026-07-28, over HTTP or stdio.
//
//     node older.mjs http FOLDER URL
//     node older.mjs stdio FOLDER PROGRAM ARGUMENT...
//
// FOLDER is what is served, a copy of tests/clients/served: a manifest in it is edited.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const [kind, folder, target, ...rest] = process.argv.slice(2);
const transport =
  kind === "http"
    ? new StreamableHTTPClientTransport(new URL(target))
    : new StdioClientTransport({ command: target, args: rest });
let calls = 0;
const did = (value) => {
  calls += 1;
  return value;
};
const textOf = (result) => result.content.map((block) => block.text).join("\n");

const client = new Client({ name: "snodo-check", version: "1.0.0" }, { capabilities: { elicitation: {} } });
const asked = [];
let answers = [];
client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
  asked.push(params.message);
  return answers.shift();
});
const changed = new Promise((resolve) => client.setNotificationHandler(ToolListChangedNotificationSchema, resolve));
await client.connect(transport);
assert.equal(client.getServerVersion().name, "snodo-clients");

// Pages, until there are no more.
const all = async (list, member) => {
  const items = [];
  let cursor;
  do {
    const page = did(await client[list]({ cursor }));
    assert.ok(page[member].length <= 2);
    items.push(...page[member]);
    cursor = page.nextCursor;
  } while (cursor);
  return items;
};
const tools = await all("listTools", "tools");
assert.deepEqual(tools.map(({ name }) => name), ["greet", "steps", "slow", "delete", "changing"]);
assert.equal((await all("listResources", "resources")).length, 3);
assert.equal((await all("listPrompts", "prompts")).length, 1);

// Calls, well and badly.
const call = async (name, args = {}, options) =>
  did(await client.callTool({ name, arguments: args }, undefined, options));
assert.equal(textOf(await call("greet", { name: "Ada" })), "Hello, Ada!");
const bad = await call("greet", {});
assert.equal(bad.isError, true);
assert.match(textOf(bad), /name/);
await assert.rejects(call("no_such_tool"), (error) => error.code === -32602);

const read = did(await client.readResource({ uri: "note://two" }));
assert.equal(read.contents[0].text, "the second note");
await assert.rejects(client.readResource({ uri: "note://four" }), (error) => error.code === -32002);
const got = did(await client.getPrompt({ name: "review", arguments: { what: "letter" } }));
assert.equal(got.messages[0].content.text, "Review the letter.");
const reference = { ref: { type: "ref/prompt", name: "review" }, argument: { name: "what", value: "co" } };
const { completion } = did(await client.complete(reference));
assert.deepEqual(completion.values, ["code", "contract"]);

// Progress.
const heard = [];
await call("steps", {}, { onprogress: ({ progress, total }) => heard.push([progress, total]) });
assert.ok(heard.length >= 1 && heard.every(([, total]) => total === 3), JSON.stringify(heard));

// A call that is given up.
const stop = new AbortController();
const slow = call("slow", {}, { signal: stop.signal });
setTimeout(() => stop.abort("no longer wanted"), 300);
await assert.rejects(slow, /no longer wanted/);
did();

// Questions.
answers = [{ action: "accept", content: { sure: true } }, { action: "accept", content: { text: "old" } }];
assert.equal(textOf(await call("delete", { path: "a.txt" })), "deleted a.txt: old");
assert.deepEqual(asked, ["Delete a.txt?", "Why?"]);
answers = [{ action: "decline" }];
assert.equal(textOf(await call("delete", { path: "a.txt" })), "kept a.txt");

// A manifest is edited.
const manifest = path.join(folder, "manifests/changing.toml");
fs.writeFileSync(manifest, fs.readFileSync(manifest, "utf8").replace(/description = .*/, `description = "${Date.now()}"`));
const late = setTimeout(() => {
  console.error("no notification that the list of tools has changed");
  process.exit(1);
}, 10000);
await changed;
clearTimeout(late);
did();
await client.close();
console.log(`typescript sdk 1 over ${kind}: ${calls} passed, 0 failed`);
