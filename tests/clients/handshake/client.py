"""The official Python SDK 1.x, which begins with a handshake, over HTTP or stdio.

    python client.py http MANIFESTS URL
    python client.py stdio MANIFESTS PROGRAM ARGUMENT...
"""

import pathlib
import sys

import anyio
from mcp import ClientSession, McpError, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client
from pydantic import AnyUrl

checks = 0


def check(holds, what=""):
    global checks
    checks += 1
    assert holds, what


async def refused(work, code):
    try:
        await work
    except McpError as error:
        check(error.error.code == code, error)
    else:
        raise AssertionError(f"no error {code}")


async def use(streams):
    logged = anyio.Event()

    async def heard(params):
        if params.data == "waiting":
            logged.set()

    asked = []
    answers = [
        types.ElicitResult(action="accept", content={"sure": True}),
        types.ElicitResult(action="accept", content={"text": "old"}),
        types.ElicitResult(action="cancel"),
    ]

    async def answer(_context, params):
        asked.append(params.message)
        return answers.pop(0)

    async with ClientSession(
        streams[0], streams[1], logging_callback=heard, elicitation_callback=answer
    ) as session:
        begun = await session.initialize()
        check(begun.serverInfo.name == "handshake", begun)
        check(begun.protocolVersion == types.LATEST_PROTOCOL_VERSION, begun)

        names, cursor, pages = [], None, 0
        while pages == 0 or cursor:
            page = await session.list_tools(cursor)
            names += [tool.name for tool in page.tools]
            cursor, pages = page.nextCursor, pages + 1
        check(pages == 3 and names[:3] == ["greet", "count", "wait"], names)

        greeted = await session.call_tool("greet", {"name": "ada"})
        check(greeted.structuredContent == {"greeting": "hello ada"}, greeted)
        check((await session.call_tool("greet", {})).isError)
        await refused(session.call_tool("no_such_tool", {}), -32602)

        steps = []

        async def progressed(progress, total, message):
            steps.append(progress)
            said.touch()

        said = pathlib.Path(sys.argv[2], "heard")
        said.unlink(missing_ok=True)

        counted = await session.call_tool("count", {"to": 5}, progress_callback=progressed)
        check(counted.content[0].text == "1\n2\n3\n4\n5\n", counted)
        check(steps and steps == sorted(set(steps)), steps)

        read = await session.read_resource(AnyUrl("users://ada"))
        check(read.contents[0].text == '{"id":"ada"}', read)
        await refused(session.read_resource(AnyUrl("notes://never")), -32002)
        prompt = await session.get_prompt("review", {"code": "1 + 1", "language": "rust"})
        check(prompt.messages[0].content.text == "Review this rust: 1 + 1", prompt)
        completed = await session.complete(
            types.PromptReference(type="ref/prompt", name="review"), {"name": "language", "value": "ru"}
        )
        check(completed.completion.values == ["rust", "ruby"], completed)

        done = await session.call_tool("delete", {"path": "a.txt"})
        check(done.content[0].text == "deleted a.txt: old", done)
        check(asked == ["Delete a.txt?", "Why?"], asked)
        kept = await session.call_tool("delete", {"path": "a.txt"})
        check(kept.content[0].text == "kept a.txt", kept)

        await session.set_logging_level("debug")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(session.call_tool, "wait", {})
            await logged.wait()
            tasks.cancel_scope.cancel()
        await session.send_ping()
        check(True)


async def unable(streams):
    async with ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        refused = await session.call_tool("delete", {"path": "a.txt"})
        check(refused.isError and "elicitation" in refused.content[0].text, refused)


async def main():
    kind, _, target, *rest = sys.argv[1:]
    for each in [unable, use]:
        if kind == "http":
            async with streamablehttp_client(target) as streams:
                await each(streams)
        else:
            async with stdio_client(StdioServerParameters(command=target, args=rest)) as streams:
                await each(streams)
    print(f"python sdk 1.x over {kind}: {checks} passed, 0 failed")


anyio.run(main)
