// What an official client does with the shim, on the TypeScript packages: see `official.rs`. They are
// found below the folder of programs that is given first; second comes which package and era.

import { createInterface } from "node:readline/promises";
import { pathToFileURL } from "node:url";

const [programs, kind] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(`${programs}/node_modules/@modelcontextprotocol/${path}`).href);
const [{ Client }, { StdioClientTransport }, settings] =
  kind === "sdk"
    ? [
        await load("sdk/dist/esm/client/index.js"),
        await load("sdk/dist/esm/client/stdio.js"),
        {},
      ]
    : [
        await load("client/dist/index.mjs"),
        await load("client/dist/stdio.mjs"),
        kind === "auto" ? { versionNegotiation: { mode: "auto" } } : {},
      ];

const say = (what) => console.log(JSON.stringify(what));
const text = (result) => ({ error: result.isError === true, text: result.content[0].text });

const { SHIM, CALLBOX_SOCKET, CALLBOX_TOKEN } = process.env;
const client = new Client({ name: "official", version: "0" }, settings);
await client.connect(new StdioClientTransport({ command: SHIM, env: { CALLBOX_SOCKET, CALLBOX_TOKEN } }));
say({ listed: (await client.listTools()).tools.map((tool) => tool.name).sort() });
const call = (name, args) => client.callTool({ name, arguments: args });
say({ said: text(await call("record_progress", { message: "half", percent: 50 })) });
say({ said: text(await call("record_progress", { percent: 50 })) });
say({
  unknown: await call("no_such_tool", {}).then(text, (error) => error.code),
});
let done = false;
call("report_summary", { summary: "all" }).then(
  () => (done = true),
  () => (done = true),
);
const input = createInterface({ input: process.stdin });
await new Promise((resolve) => input.once("line", resolve));
say({ open: !done });
await client.close();
say({ closed: true });
input.close();
