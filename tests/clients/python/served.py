"""Everything that a client does, with the official Python SDK, over HTTP or stdio.

    served.py http FOLDER URL
    served.py stdio FOLDER PROGRAM ARGUMENT...

FOLDER is what is served, a copy of tests/clients/served: a manifest in it is edited.
"""

import asyncio
import pathlib
import re
import sys
import time

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp.types import ElicitResult, PromptReference

CALLS = 0
ASKED = []
ANSWERS = []


def check(condition, what):
    global CALLS
    CALLS += 1
    if not condition:
        raise AssertionError(what)


def text_of(result):
    return "\n".join(block.text for block in result.content)


async def elicited(_context, params):
    ASKED.append(params.message)
    return ANSWERS.pop(0)


async def pages(listing, member):
    """All items of a list, page by page."""
    items, cursor = [], None
    while True:
        page = await listing(cursor=cursor)
        check(len(getattr(page, member)) <= 2, "a page holds two")
        items += getattr(page, member)
        cursor = page.next_cursor
        if cursor is None:
            return items


async def code_of(awaitable):
    try:
        await awaitable
    except MCPError as error:
        return error.error.code
    raise AssertionError("no error")


async def main():
    kind, folder, target, *arguments = sys.argv[1:]
    server = target if kind == "http" else StdioServerParameters(command=target, args=arguments)
    async with Client(server, elicitation_callback=elicited) as client:
        check(client.protocol_version == "2026-07-28", client.protocol_version)
        tools = [tool.name for tool in await pages(client.list_tools, "tools")]
        check(tools == ["greet", "steps", "slow", "delete", "changing"], tools)
        check(len(await pages(client.list_resources, "resources")) == 3, "resources")
        check(len(await pages(client.list_prompts, "prompts")) == 1, "prompts")

        check(text_of(await client.call_tool("greet", {"name": "Ada"})) == "Hello, Ada!", "greet")
        bad = await client.call_tool("greet", {})
        check(bad.is_error and "name" in text_of(bad), "a bad call")
        check(await code_of(client.call_tool("no_such_tool", {})) == -32602, "an unknown tool")
        (note,) = (await client.read_resource("note://two")).contents
        check(note.text == "the second note", note)
        check(await code_of(client.read_resource("note://four")) == -32602, "an unknown resource")
        got = await client.get_prompt("review", {"what": "letter"})
        check(got.messages[0].content.text == "Review the letter.", got)
        reference = PromptReference(type="ref/prompt", name="review")
        completed = await client.complete(reference, {"name": "what", "value": "co"})
        check(completed.completion.values == ["code", "contract"], completed)

        heard = []

        async def progress(done, total, _message):
            heard.append((done, total))

        await client.call_tool("steps", {}, progress_callback=progress)
        check(heard and heard == sorted(heard) and heard[-1] == (3, 3), heard)

        started = time.monotonic()
        with anyio.move_on_after(0.3) as given_up:
            await client.call_tool("slow", {})
        check(given_up.cancelled_caught and time.monotonic() - started < 10, "a call is given up")

        ANSWERS.append(ElicitResult(action="accept", content={"sure": True}))
        ANSWERS.append(ElicitResult(action="accept", content={"text": "old"}))
        done = await client.call_tool("delete", {"path": "a.txt"})
        check(text_of(done) == "deleted a.txt: old", done)
        check(ASKED == ["Delete a.txt?", "Why?"], ASKED)
        ANSWERS.append(ElicitResult(action="decline"))
        done = await client.call_tool("delete", {"path": "a.txt"})
        check(text_of(done) == "kept a.txt", done)

        manifest = pathlib.Path(folder, "manifests", "changing.toml")
        async with client.listen(tools_list_changed=True) as changes:
            edited = f'description = "{time.time_ns()}"'
            manifest.write_text(re.sub("description = .*", edited, manifest.read_text()))
            with anyio.fail_after(10):
                async for change in changes:
                    check("ToolsListChanged" in type(change).__name__, change)
                    break
    print(f"python sdk, everything, over {kind}: {CALLS} passed, 0 failed")


asyncio.run(main())
