"""Lists and calls every sample tool with the official Python SDK, over HTTP or stdio.

    samples.py http URL
    samples.py stdio PROGRAM ARGUMENT...
"""

import asyncio
import sys

from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp.types import PromptReference, ResourceTemplateReference

REVISION = "2026-07-28"
CALLS = 0


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def text_of(result):
    return "\n".join(block.text for block in result.content if block.type == "text")


async def call(client, name, arguments=None):
    global CALLS
    CALLS += 1
    result = await client.call_tool(name, arguments)
    check(not result.is_error, f"{name}: {text_of(result)}")
    return result


async def every_sample(client):
    """One real call to each sample tool; returns the names that were called."""
    global CALLS
    log = await call(client, "git_log", {"count": 3})
    check(len(text_of(log).splitlines()) >= 1, "git_log gives commits")
    newest = text_of(log).split()[0]
    touched = await call(client, "git_log", {"count": 1, "path": "Cargo.toml"})
    check(len(text_of(touched).splitlines()) == 1, "git_log follows a path")
    await call(client, "git_diff", {"from": newest, "to": "HEAD"})
    found = await call(client, "search_text", {"pattern": "^name = \"snodo\"", "path": "Cargo.toml"})
    check("Cargo.toml:" in text_of(found), "search_text finds the package's name")
    missing = await call(client, "search_text", {"pattern": "no such text " + "anywhere here"})
    check("no line matches" in text_of(missing), "search_text says that nothing matches")
    part = await call(client, "read_file", {"path": "Cargo.toml", "lines": "1-2"})
    check(text_of(part).startswith("[package]"), "read_file reads lines")
    listing = await call(client, "list_files", {})
    check("Cargo.toml" in text_of(listing), "list_files lists the root")
    await call(client, "disk_usage")
    load = await call(client, "load_average")
    check(isinstance(load.structured_content["one"], (int, float)), "load_average is a number")
    words = await call(client, "count_words", {"text": "three small words"})
    check(words.structured_content == {"words": 3, "characters": 17}, "count_words counts")
    server = await call(client, "describe_server")
    check(server.structured_content["server"]["name"] == "snodo-samples", "describe_server names it")
    before = await call(client, "counter_add", {"by": 2})
    after = await call(client, "counter_take")
    value = before.structured_content["value"]
    check(after.structured_content["value"] == value - 1, "the counter keeps its state")
    await call(client, "job_put", {"job": "sweep the floor"})
    taken = await call(client, "job_next")
    check(taken.structured_content["job"] == "sweep the floor", "the queue gives what it was given")
    note = f"a note of {newest}"
    await call(client, "note_add", {"text": note})
    notes = await call(client, "note_search", {"word": newest})
    check(notes.structured_content["count"] >= 1, f"a note is found: {notes.structured_content}")
    heard = []

    async def progress(done, total, message):
        heard.append((done, message))

    CALLS += 1
    counted = await client.call_tool("lines_by_folder", {}, progress_callback=progress)
    lines = text_of(counted).splitlines()
    check(any(line.startswith("src ") for line in lines), f"lines_by_folder counts: {lines}")
    check(heard[-1] == (len(lines), lines[-1]), f"the last folder is told: {heard}")
    check(heard == sorted(heard), f"progress rises: {heard}")
    called = {
        "lines_by_folder", "git_log", "git_diff", "search_text", "read_file", "list_files", "disk_usage",
        "load_average", "count_words", "describe_server", "counter_add", "counter_take", "job_put", "job_next",
        "note_add", "note_search",
    }
    tools = (await client.list_tools()).tools
    if any(tool.name == "uptime" for tool in tools):
        await call(client, "uptime")
        called.add("uptime")
    return called


async def resources(client):
    """Lists, completes and reads the sample resources."""
    global CALLS
    CALLS += 6
    listed = {str(resource.uri): resource for resource in (await client.list_resources()).resources}
    check("repo:///README.md" in listed, f"the README is listed: {sorted(listed)}")
    page = listed["docs:///manifest.md"]
    check(page.size > 1000 and page.mime_type == "text/markdown", f"a page has size and type: {page}")
    check(page.annotations.last_modified, f"a page has a time: {page}")
    templates = (await client.list_resource_templates()).resource_templates
    names = {template.uri_template for template in templates}
    check(names == {"docs:///{+page}", "commit:///{hash}"}, f"templates are listed: {names}")
    for uri, beginning in [("repo:///README.md", "# "), ("docs:///manifest.md", "# ")]:
        (content,) = (await client.read_resource(uri)).contents
        check(str(content.uri) == uri and content.text.startswith(beginning), f"{uri} is read")
        check(content.mime_type == "text/markdown", f"{uri} has a type")
    reference = ResourceTemplateReference(type="ref/resource", uri="docs:///{+page}")
    typed = {"name": "page", "value": "prot"}
    completed = (await client.complete(reference, typed)).completion
    check("protocol.md" in completed.values, f"a path is completed: {completed}")
    for uri in ["docs:///no-such-page.md", "docs:///..%2FCargo.toml", "nowhere://x"]:
        try:
            await client.read_resource(uri)
        except MCPError as error:
            check(error.error.code == -32602, f"{uri}: {error.error.code}")
            check(error.error.data == {"uri": uri}, f"{uri} is named: {error.error.data}")
        else:
            raise AssertionError(f"{uri} is not found")


async def prompts(client):
    """Lists, completes and gets the sample prompts."""
    global CALLS
    CALLS += 4
    listed = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
    check(set(listed) == {"explain_file", "review_change"}, f"prompts are listed: {sorted(listed)}")
    reference = PromptReference(type="ref/prompt", name="explain_file")
    completed = (await client.complete(reference, {"name": "path", "value": "READ"})).completion
    check("README.md" in completed.values, f"an argument is completed: {completed}")
    got = await client.get_prompt("explain_file", {"path": "README.md"})
    check(got.messages[1].content.resource.text.startswith("# "), "a prompt embeds the file")
    try:
        await client.get_prompt("explain_file", {})
    except MCPError as error:
        check(error.error.code == -32602, f"a missing argument: {error.error.code}")
    else:
        raise AssertionError("a required argument is required")


async def calls_that_fail(client):
    for name, arguments, expected in [
        ("git_log", {"count": 0}, "/count"),
        ("git_diff", {}, "from"),
        ("git_diff", {"from": "--output=/tmp/snodo-must-not-exist"}, "-"),
        ("read_file", {"path": "../../../../etc/passwd"}, "not found"),
        ("count_words", {"text": 5}, "/text"),
    ]:
        result = await client.call_tool(name, arguments)
        check(result.is_error, f"{name} {arguments} is a tool error")
        check(expected in text_of(result), f"{name} {arguments}: {text_of(result)!r} names {expected!r}")
        check("passwd" not in text_of(result), "an error does not repeat the value")
    try:
        await client.call_tool("no_such_tool", {})
    except MCPError as error:
        check(error.error.code == -32602, f"unknown tool: {error.error.code}")
    else:
        raise AssertionError("an unknown tool is a protocol error")


async def main():
    kind, target, *arguments = sys.argv[1:]
    server = target if kind == "http" else StdioServerParameters(command=target, args=arguments)
    async with Client(server) as client:
        check(client.protocol_version == REVISION, f"speaks {client.protocol_version}")
        check(client.server_info.name == "snodo-samples", f"names itself: {client.server_info}")
        listed = {tool.name for tool in (await client.list_tools()).tools}
        called = await every_sample(client)
        check(listed == called, f"every listed tool was called: {listed ^ called}")
        await resources(client)
        await prompts(client)
        await calls_that_fail(client)
        many = [call(client, "count_words", {"text": "w " * n}) for n in range(1, 33)]
        for n, result in enumerate(await asyncio.gather(*many), start=1):
            check(result.structured_content["words"] == n, "each call gets its own answer")
    print(f"python sdk over {kind}: {CALLS} passed, 0 failed")


asyncio.run(main())
