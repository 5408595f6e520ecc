import { describe, expect, it } from "vitest";
import { clientAnswering } from "./client-calls.js";
import { callbacks } from "./wire-ledger.js";

const { videos } = clientAnswering(() => new Response(null, { status: 500 }));

describe("the client reads every callback", () => {
  it.each(callbacks)("%s", (_name, { family, payload, result }) => {
    const options = { family };
    const callback = videos.readCallback(payload, options);
    expect(callback).toMatchObject({ raw: payload, ...result });
    expect("handle" in callback).toBe("handle" in result || "family" in result);
    expect(videos.readCallback(JSON.stringify(payload), options)).toEqual(callback);
  });
});
