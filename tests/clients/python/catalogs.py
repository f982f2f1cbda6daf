"""Holds `snodo catalog` to what the official client sees of servers that are not snodo's.

    catalogs.py SNODO stdio COMMAND ARGUMENT...
    catalogs.py SNODO http URL
"""

import asyncio
import json
import shlex
import subprocess
import sys

from mcp import Client
from mcp.client.stdio import StdioServerParameters


def plain(item):
    """An item as it is on the wire."""
    return item.model_dump(by_alias=True, exclude_none=True, mode="json")


async def everything(page, member):
    items, cursor = [], None
    while True:
        listed = await page(cursor=cursor)
        items += [plain(item) for item in getattr(listed, member)]
        cursor = listed.next_cursor
        if cursor is None:
            return items


async def lists(target):
    async with Client(target) as client:
        return {
            "tools": await everything(client.list_tools, "tools"),
            "resources": await everything(client.list_resources, "resources"),
            "templates": await everything(client.list_resource_templates, "resource_templates"),
            "prompts": await everything(client.list_prompts, "prompts"),
        }


def catalog(snodo, arguments, form):
    command = [snodo, "catalog", "--quiet", "--format", form, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


def main(snodo, way, *rest):
    if way == "stdio":
        arguments = ["--stdio", shlex.join(rest)]
        target = StdioServerParameters(command=rest[0], args=list(rest[1:]))
    else:
        arguments, target = ["--url", rest[0]], rest[0]
    ours = json.loads(catalog(snodo, arguments, "json"))
    theirs = asyncio.run(lists(target))
    names = {"tools": "name", "resources": "uri", "templates": "uriTemplate", "prompts": "name"}
    for kind, name in names.items():
        seen = {item[name]: item for item in ours[kind]}
        wanted = {item[name]: item for item in theirs[kind]}
        assert seen.keys() == wanted.keys(), (kind, seen.keys() ^ wanted.keys())
        for key, item in wanted.items():
            for member in ["description", "title", "inputSchema", "outputSchema", "arguments", "mimeType"]:
                assert seen[key].get(member) == item.get(member), (key, member, seen[key], item)
    document = catalog(snodo, arguments, "markdown")
    assert document == catalog(snodo, arguments, "markdown"), "it is not the same twice"
    for tool in ours["tools"]:
        assert f"### `{tool['name']}`" in document, tool["name"]
        for argument in tool["inputSchema"].get("properties", {}):
            assert f"| `{argument}` |" in document, (tool["name"], argument)
    print(f"{way}: {sum(len(ours[kind]) for kind in names)} items, as the official client sees them")


main(*sys.argv[1:])
