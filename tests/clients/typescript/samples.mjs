// Lists and calls sample tools with the official TypeScript SDK, over HTTP or stdio.
//
//     node samples.mjs http URL
//     node samples.mjs stdio PROGRAM ARGUMENT...

import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [kind, target, ...rest] = process.argv.slice(2);
const transport = () =>
  kind === "http"
    ? new StreamableHTTPClientTransport(new URL(target))
    : new StdioClientTransport({ command: target, args: rest });
const textOf = (result) =>
  result.content.filter((block) => block.type === "text").map((block) => block.text).join("\n");

let calls = 0;
for (const mode of ["auto", { pin: "2026-07-28" }]) {
  const client = new Client(
    { name: "snodo-check", version: "1.0.0" },
    { versionNegotiation: { mode } },
  );
  await client.connect(transport());
  const call = async (name, args = {}) => {
    calls += 1;
    return client.callTool({ name, arguments: args });
  };
  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name);
  assert.ok(names.includes("git_log") && names.includes("count_words"), names.join(" "));

  const words = await call("count_words", { text: "three small words" });
  assert.deepEqual(words.structuredContent, { words: 3, characters: 17 });
  const log = await call("git_log", { count: 2 });
  assert.ok(!log.isError && textOf(log).length > 0, textOf(log));
  const file = await call("read_file", { path: "Cargo.toml", lines: "1-1" });
  assert.equal(textOf(file).trim(), "[package]");
  const load = await call("load_average");
  assert.equal(typeof load.structuredContent.one, "number");
  for (const name of ["disk_usage", "list_files", "describe_server"]) {
    const result = await call(name);
    assert.ok(!result.isError, `${name}: ${textOf(result)}`);
  }
  const heard = [];
  calls += 1;
  const counted = await client.callTool(
    { name: "lines_by_folder", arguments: {} },
    { onprogress: ({ progress, message }) => heard.push([progress, message]) },
  );
  const folders = textOf(counted).trim().split("\n");
  // This SDK forgets the handler when it sees the answer, before what stood right in front of it is handled.
  assert.ok(heard.length >= 1);
  assert.ok(heard.every(([progress, message]) => folders[progress - 1] === message));
  assert.ok(heard.every(([progress], n) => n === 0 || progress > heard[n - 1][0]));
  calls += 5;
  const { resources } = await client.listResources();
  const page = resources.find(({ uri }) => uri === "docs:///manifest.md");
  assert.ok(page.size > 1000 && page.mimeType === "text/markdown", JSON.stringify(page));
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.ok(resourceTemplates.some(({ uriTemplate }) => uriTemplate === "docs:///{+page}"));
  for (const uri of ["repo:///README.md", "docs:///manifest.md"]) {
    const { contents } = await client.readResource({ uri });
    assert.equal(contents[0].uri, uri);
    assert.match(contents[0].text, /^# /);
  }
  await assert.rejects(
    client.readResource({ uri: "docs:///no-such-page.md" }),
    (error) => error.code === -32602,
  );
  const { prompts } = await client.listPrompts();
  assert.deepEqual(prompts.map(({ name }) => name), ["explain_file", "review_change"]);
  const { completion } = await client.complete({
    ref: { type: "ref/prompt", name: "explain_file" },
    argument: { name: "path", value: "READ" },
  });
  assert.ok(completion.values.includes("README.md"), JSON.stringify(completion));
  const got = await client.getPrompt({ name: "explain_file", arguments: { path: "README.md" } });
  assert.match(got.messages[1].content.resource.text, /^# /);
  await assert.rejects(
    client.getPrompt({ name: "explain_file", arguments: {} }),
    (error) => error.code === -32602,
  );
  const bad = await call("git_log", { count: 100000 });
  assert.equal(bad.isError, true);
  assert.match(textOf(bad), /\/count/);
  await assert.rejects(call("no_such_tool"), (error) => error.code === -32602);
  const many = await Promise.all(
    Array.from({ length: 32 }, (_, n) => call("count_words", { text: "w ".repeat(n + 1) })),
  );
  many.forEach((result, n) => assert.equal(result.structuredContent.words, n + 1));
  await client.close();
}
console.log(`typescript sdk over ${kind}: ${calls} passed, 0 failed`);
