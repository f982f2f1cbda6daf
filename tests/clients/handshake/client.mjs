// The official TypeScript SDK 1.x, which begins with a handshake, over HTTP or stdio.
//
//     node client.mjs http MANIFESTS URL
//     node client.mjs stdio MANIFESTS PROGRAM ARGUMENT...

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";

const [kind, manifests, target, ...rest] = process.argv.slice(2);
const transport =
  kind === "http"
    ? new StreamableHTTPClientTransport(new URL(target))
    : new StdioClientTransport({ command: target, args: rest, stderr: "ignore" });
const client = new Client({ name: "snodo-check", version: "1.0.0" }, { capabilities: { elicitation: {} } });

// What is asked, and what is answered.
const asked = [];
let answers = [];
client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
  asked.push(params.message);
  return answers.shift();
});

// What is heard, and who waits for it.
const heard = [];
let wake = () => {};
const hear = (schema) =>
  client.setNotificationHandler(schema, (notification) => {
    heard.push(notification);
    wake();
  });
for (const schema of [
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
])
  hear(schema);
const hears = async (is) => {
  for (;;) {
    const found = heard.find(is);
    if (found) return found;
    await new Promise((resolve) => (wake = resolve));
  }
};
let checks = 0;
const check = (is, what) => {
  checks += 1;
  assert.ok(is, what);
};
const all = async (list, key) => {
  const found = [];
  let cursor;
  let pages = 0;
  do {
    const page = await list(cursor === undefined ? {} : { cursor });
    found.push(...page[key]);
    cursor = page.nextCursor;
    pages += 1;
  } while (cursor !== undefined);
  return [found, pages];
};
const refused = (promise, code) =>
  assert.rejects(promise, (error) => error.code === code || assert.fail(`${error.code}: ${error.message}`));

await client.connect(transport);
check(client.getServerVersion().name === "handshake", JSON.stringify(client.getServerVersion()));
const { tools: offered, resources: readable } = client.getServerCapabilities();
check(offered.listChanged && readable.listChanged && readable.subscribe);

// Lists, page by page.
const [tools, pages] = await all((params) => client.listTools(params), "tools");
check(pages === 3 && tools.map(({ name }) => name).join() === "greet,count,wait,fails,delete", `${pages} pages`);
const [resources] = await all((params) => client.listResources(params), "resources");
check(resources.length === 3);
await refused(client.listTools({ cursor: "nonsense" }), -32602);

// Calls, good and bad.
const greeted = await client.callTool({ name: "greet", arguments: { name: "ada" } });
check(greeted.structuredContent.greeting === "hello ada");
check(JSON.parse(greeted.content[0].text).greeting === "hello ada");
const bad = await client.callTool({ name: "greet", arguments: { name: "x".repeat(30) } });
check(bad.isError && bad.content[0].text.includes("/name"), JSON.stringify(bad));
check((await client.callTool({ name: "fails", arguments: {} })).isError);
await refused(client.callTool({ name: "no_such_tool", arguments: {} }), -32602);

// Progress.
const steps = [];
const said = path.join(manifests, "heard");
fs.rmSync(said, { force: true });
const counted = await client.callTool({ name: "count", arguments: { to: 5 } }, undefined, {
  onprogress: ({ progress }) => {
    steps.push(progress);
    fs.writeFileSync(said, "");
  },
});
check(counted.content[0].text === "1\n2\n3\n4\n5\n", JSON.stringify(counted));
check(steps.length >= 1 && steps.every((step, n) => n === 0 || step > steps[n - 1]), String(steps));

// Reading.
check((await client.readResource({ uri: "notes://today" })).contents[0].text === "nothing yet");
check((await client.readResource({ uri: "users://ada" })).contents[0].text === '{"id":"ada"}');
await refused(client.readResource({ uri: "notes://never" }), -32002);

// Prompts and completion.
const prompt = await client.getPrompt({ name: "review", arguments: { code: "1 + 1", language: "rust" } });
check(prompt.messages[0].content.text === "Review this rust: 1 + 1");
await refused(client.getPrompt({ name: "review", arguments: {} }), -32602);
const completed = await client.complete({
  ref: { type: "ref/resource", uri: "users://{id}" },
  argument: { name: "id", value: "a" },
});
check(completed.completion.values.slice(0, 2).join() === "ada,alan", JSON.stringify(completed));

// Questions.
const remove = async () => (await client.callTool({ name: "delete", arguments: { path: "a.txt" } })).content[0].text;
answers = [
  { action: "accept", content: { sure: true } },
  { action: "accept", content: { text: "out of date" } },
  { action: "accept", content: { text: "old" } },
];
check((await remove()) === "deleted a.txt: old");
check(asked.join() === "Delete a.txt?,Why?,Why?", asked.join());
answers = [{ action: "decline" }];
check((await remove()) === "kept a.txt");

// Logs while something works, and its end by a cancellation.
await client.setLoggingLevel("debug");
const stop = new AbortController();
const waiting = client.callTool({ name: "wait", arguments: {} }, undefined, { signal: stop.signal });
waiting.catch(() => {});
await hears(({ method, params }) => method === "notifications/message" && params.data === "waiting");
stop.abort("enough");
await assert.rejects(waiting);
await client.ping();
checks += 2;

// What changes.
await client.subscribeResource({ uri: "notes://today" });
const file = path.join(manifests, "all.toml");
const text = fs.readFileSync(file, "utf8");
fs.writeFileSync(`${file}.new`, text.replace("nothing yet", "rain").replace('name = "fails"', 'name = "breaks"'));
fs.renameSync(`${file}.new`, file);
await hears(({ method }) => method === "notifications/tools/list_changed");
await hears(
  ({ method, params }) => method === "notifications/resources/updated" && params.uri === "notes://today",
);
check((await client.readResource({ uri: "notes://today" })).contents[0].text === "rain");
const [renamed] = await all((params) => client.listTools(params), "tools");
check(renamed.some(({ name }) => name === "breaks"));
if (kind === "http") await transport.terminateSession();
await client.close();
console.log(`typescript sdk 1.x over ${kind}: ${checks} passed, 0 failed`);
