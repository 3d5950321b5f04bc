"""What an official client does with the shim, on the Python package `mcp` 2.x: see `official.rs`."""

import asyncio
import json
import os
import sys

from mcp import Client, MCPError, StdioServerParameters


def say(**what):
    print(json.dumps(what), flush=True)


def text(result):
    return {"error": bool(result.is_error), "text": result.content[0].text}


async def main(mode):
    names = ("CALLBOX_SOCKET", "CALLBOX_TOKEN")
    shim = StdioServerParameters(command=os.environ["SHIM"], env={name: os.environ[name] for name in names})
    async with Client(shim, mode=mode) as client:
        say(listed=sorted(tool.name for tool in (await client.list_tools()).tools))
        say(said=text(await client.call_tool("record_progress", {"message": "half", "percent": 50})))
        say(said=text(await client.call_tool("record_progress", {"percent": 50})))
        try:
            say(unknown=text(await client.call_tool("no_such_tool", {})))
        except MCPError as error:
            say(unknown=error.error.code)
        call = asyncio.create_task(client.call_tool("report_summary", {"summary": "all"}))
        await asyncio.to_thread(sys.stdin.readline)
        say(open=not call.done())
        call.cancel()
    say(closed=True)


asyncio.run(main(sys.argv[1]))
