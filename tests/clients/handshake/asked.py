"""What the official Python SDK 1.x is asked, over HTTP or stdio, by tests/clients/served.

    python asked.py http URL
    python asked.py stdio PROGRAM ARGUMENT...
"""

import sys

import anyio
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client

asked = []
answers = [
    types.ElicitResult(action="accept", content={"sure": True}),
    types.ElicitResult(action="accept", content={"text": "old"}),
    types.ElicitResult(action="cancel"),
]


async def answer(_context, params):
    asked.append(params.message)
    return answers.pop(0)


async def use(streams):
    async with ClientSession(streams[0], streams[1], elicitation_callback=answer) as session:
        await session.initialize()
        done = await session.call_tool("delete", {"path": "a.txt"})
        assert done.content[0].text == "deleted a.txt: old", done
        assert asked == ["Delete a.txt?", "Why?"], asked
        kept = await session.call_tool("delete", {"path": "a.txt"})
        assert kept.content[0].text == "kept a.txt", kept
    print("python sdk 1.x is asked: 3 passed, 0 failed")


async def unable(streams):
    async with ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        refused = await session.call_tool("delete", {"path": "a.txt"})
        assert refused.isError and "elicitation" in refused.content[0].text, refused


async def main():
    kind, target, *rest = sys.argv[1:]
    for each in [unable, use]:
        if kind == "http":
            async with streamablehttp_client(target) as streams:
                await each(streams)
        else:
            async with stdio_client(StdioServerParameters(command=target, args=rest)) as streams:
                await each(streams)


anyio.run(main)
