import { describe, expect, it } from "vitest";
import { API_KEY, errorOf, gatewayFor, TRANSPORTS } from "../../test/gateways.js";
import { errorBody, sendJSON, startServer } from "../../test/scripted-server.js";
import { InvalidRequestError, InvalidResponseError, StreamInterruptedError } from "../index.js";

const BYTES = new Uint8Array(300_000).map((_, index) => index % 251);

describe.each(TRANSPORTS)("download over %s", (_name, transport) => {
  it("streams a file of the gateway with the key", async () => {
    const server = await startServer((_request, response) =>
      response.writeHead(200, { "content-type": "video/mp4", "content-length": BYTES.length }).end(BYTES),
    );
    const file = await gatewayFor(server.url, transport).download(`${server.origin}/files/1.mp4?sig=s`);
    expect([file.contentType, file.contentLength]).toEqual(["video/mp4", BYTES.length]);
    expect(new Uint8Array(await new Response(file.body).arrayBuffer())).toEqual(BYTES);
    expect(server.requests[0]).toMatchObject({
      path: "/files/1.mp4?sig=s",
      headers: { authorization: `Bearer ${API_KEY}` },
    });
  });

  it("takes results, and paths on the gateway's own host", async () => {
    const server = await startServer((_request, response) => response.end(BYTES));
    const gateway = gatewayFor(server.url, transport);
    expect(await (await gateway.download({ url: "/files/1.mp4" })).bytes()).toEqual(BYTES);
    const file = await gateway.download(new URL(`${server.origin}/files/2.mp4`));
    expect(file.contentType).toBe("application/octet-stream");
    expect(await file.bytes()).toEqual(BYTES);
  });

  it("follows redirects of its own host and no more than five", async () => {
    const server = await startServer(({ path }, response) => {
      const left = Number(path.slice(1));
      if (left === 0) response.end("done");
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    const gateway = gatewayFor(server.url, transport);
    expect(new TextDecoder().decode(await (await gateway.download(`${server.origin}/5`)).bytes())).toBe(
      "done",
    );
    const error = await errorOf(gateway.download(`${server.origin}/6`));
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect((error as Error).message).toContain("redirects");
  });

  it("does not follow a redirect into a private network, and never shows the key elsewhere", async () => {
    const secret = await startServer((_request, response) => response.end("secret"));
    const server = await startServer((_request, response) =>
      response.writeHead(302, { location: secret.origin }).end(),
    );
    const error = await errorOf(gatewayFor(server.url, transport).download(`${server.origin}/1`));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect((error as Error).message).toContain("private network");
    expect(secret.requests).toHaveLength(0);
  });

  it("refuses files above maxBytes, declared or not", async () => {
    const server = await startServer(({ path }, response) => {
      if (path === "/declared") response.writeHead(200, { "content-length": BYTES.length });
      else response.writeHead(200);
      response.end(BYTES);
    });
    const gateway = gatewayFor(server.url, transport);
    const options = { maxBytes: 1_000 };
    expect(await errorOf(gateway.download(`${server.origin}/declared`, options))).toBeInstanceOf(
      InvalidResponseError,
    );
    const file = await gateway.download(`${server.origin}/chunked`, options);
    expect(await errorOf(file.bytes())).toBeInstanceOf(InvalidResponseError);
  });

  it("reports the server's error, without the query that may be a signature", async () => {
    const server = await startServer((_request, response) =>
      sendJSON(response, errorBody("link expired"), 403),
    );
    const error = await errorOf(
      gatewayFor(server.url, transport).download(`${server.origin}/1.mp4?signature=xyz`),
    );
    expect(error).toMatchObject({ status: 403, path: "/1.mp4" });
    expect((error as Error).message).not.toContain("xyz");
  });

  it("reports a file that breaks off", async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(200, { "content-length": 1_000_000 });
      response.write(BYTES, () => response.destroy());
    });
    const file = await gatewayFor(server.url, transport).download(`${server.origin}/1.mp4`);
    expect(await errorOf(file.bytes())).toBeInstanceOf(StreamInterruptedError);
  });

  it("closes the connection when the body is cancelled", async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(200);
      response.write(BYTES);
    });
    const file = await gatewayFor(server.url, transport).download(`${server.origin}/1.mp4`);
    const closed = new Promise((resolve) => server.requests[0]?.socket.once("close", resolve));
    await file.body.cancel();
    await closed;
  });
});

describe("download", () => {
  const gateway = gatewayFor("https://gateway.example/v1");

  it.each([
    "http://127.0.0.1/x",
    "http://localhost:8080/x",
    "file:///etc/passwd",
    "ftp://files.example.com/x",
    "http://[::1]/",
  ])("refuses %s before anything is sent", async (url) => {
    expect(await errorOf(gateway.download(url))).toBeInstanceOf(InvalidRequestError);
  });

  it("decodes data URLs", async () => {
    const file = await gateway.download("data:image/png;base64,AQID");
    expect([file.contentType, file.contentLength]).toEqual(["image/png", 3]);
    expect(await file.bytes()).toEqual(Uint8Array.of(1, 2, 3));
    expect(await new Response((await gateway.download("data:,a%20b")).body).text()).toBe("a b");
    expect(await errorOf(gateway.download("data:image/png;base64,AQID", { maxBytes: 2 }))).toBeInstanceOf(
      InvalidRequestError,
    );
    expect(await errorOf(gateway.download("data:image/png;base64,%"))).toBeInstanceOf(InvalidRequestError);
  });
});
