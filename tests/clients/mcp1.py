"""What an official client does with the shim, on the Python package `mcp` 1.x: see `official.rs`."""

import asyncio
import json
import os
import sys

from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.stdio import stdio_client


def say(**what):
    print(json.dumps(what), flush=True)


def text(result):
    return {"error": bool(result.isError), "text": result.content[0].text}


async def main():
    names = ("CALLBOX_SOCKET", "CALLBOX_TOKEN")
    shim = StdioServerParameters(command=os.environ["SHIM"], env={name: os.environ[name] for name in names})
    async with stdio_client(shim) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        say(listed=sorted(tool.name for tool in (await session.list_tools()).tools))
        say(said=text(await session.call_tool("record_progress", {"message": "half", "percent": 50})))
        say(said=text(await session.call_tool("record_progress", {"percent": 50})))
        try:
            say(unknown=text(await session.call_tool("no_such_tool", {})))
        except McpError as error:
            say(unknown=error.error.code)
        call = asyncio.create_task(session.call_tool("report_summary", {"summary": "all"}))
        await asyncio.to_thread(sys.stdin.readline)
        say(open=not call.done())
        call.cancel()
    say(closed=True)


asyncio.run(main())
