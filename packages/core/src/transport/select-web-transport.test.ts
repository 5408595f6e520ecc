import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, it, vi } from "vitest";
import { selectTransport } from "./select-web-transport.js";

const ENTRY = fileURLToPath(new URL("../chat.ts", import.meta.url));

/** The files that a bundle of chat is made of. */
async function filesOf(conditions: string[]): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [ENTRY],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "neutral",
    conditions,
  });
  return Object.keys(metafile.inputs).map((path) => path.replace(/^.*\/src\//, ""));
}

describe("a bundle", () => {
  it.each(["browser", "worker", "workerd", "edge-light", "deno", "bun", "react-native"])(
    "for %s holds nothing below fetch",
    async (condition) => {
      const files = await filesOf([condition]);
      expect(files).toContain("transport/select-web-transport.ts");
      expect(files).toContain("transport/fetch-transport.ts");
      expect(files).not.toContain("transport/dispatch-transport.ts");
      expect(files).not.toContain("transport/select-transport.ts");
    },
  );

  it.each(["node", "import"])("for %s holds the dispatcher", async (condition) => {
    const files = await filesOf([condition]);
    expect(files).toContain("transport/dispatch-transport.ts");
    expect(files).not.toContain("transport/select-web-transport.ts");
  });
});

describe("selectTransport for the web", () => {
  const send = (transport: ReturnType<typeof selectTransport>) =>
    new Promise<number>((resolve, reject) => {
      const request = { method: "GET", origin: "http://gateway.example", path: "/v1/models", headers: {} };
      transport.send(request, { head: resolve, data: () => true, end() {}, failed: reject });
    });
  const answers = (status: number) => async () => new Response(null, { status });

  it("asks the fetch of the moment, which tools may have replaced since", async () => {
    const transport = selectTransport(undefined);
    expect(transport.name).toBe("fetch");
    try {
      for (const status of [201, 202]) {
        vi.stubGlobal("fetch", answers(status));
        expect(await send(transport)).toBe(status);
      }
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it("asks the one that the user gave before all others", async () => {
    expect(await send(selectTransport(answers(203)))).toBe(203);
  });
});
