"""A server of the official Python SDK, for `snodo catalog` to be held to.

    server.py stdio
    server.py http PORT
"""

import sys

from mcp.server import MCPServer

server = MCPServer("python", instructions="A server of the Python SDK")


@server.tool(title="Add")
def add(a: int, b: int = 1) -> int:
    """Adds numbers"""
    return a + b


@server.resource("notes://today")
def today() -> str:
    """What is on today"""
    return "nothing"


@server.resource("notes://{name}")
def note(name: str) -> str:
    """A note"""
    return name


@server.prompt()
def review(code: str) -> str:
    """Reviews code"""
    return f"Review {code}"


if sys.argv[1] == "stdio":
    server.run("stdio")
else:
    server.run("streamable-http", port=int(sys.argv[2]))
