import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, it } from "vitest";
import { unusedOrigin } from "./unused-origin.js";

it("an unused origin refuses connections, and its port is given to nobody", async () => {
  const origin = await unusedOrigin();
  const servers = Array.from({ length: 50 }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => String((server.address() as AddressInfo).port));
  expect(ports).not.toContain(new URL(origin).port);
  await expect(fetch(origin)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
  for (const server of servers) server.close();
});
