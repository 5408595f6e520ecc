import dns from "node:dns";
import { afterEach, describe, expect, it, vi } from "vitest";
import { resolveHost } from "./resolve-host.js";

type Done = (error: unknown, found?: unknown) => void;

function answering(answer: (done: Done) => void) {
  return vi
    .spyOn(dns, "lookup")
    .mockImplementation(((_host: string, _options: object, done: Done) => answer(done)) as never);
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe("resolveHost", () => {
  it("gives every address, because any of them may be the one that is connected to", async () => {
    const lookup = answering((done) => done(null, [{ address: "93.184.216.34" }, { address: "10.0.0.1" }]));
    expect(await resolveHost("files.example.com")).toEqual(["93.184.216.34", "10.0.0.1"]);
    expect(lookup).toHaveBeenCalledWith("files.example.com", { all: true }, expect.any(Function));
  });

  it("looks an IPv6 address up without the brackets that URLs put around it", async () => {
    const lookup = answering((done) => done(null, [{ address: "2606:2800::1" }]));
    expect(await resolveHost("[2606:2800::1]")).toEqual(["2606:2800::1"]);
    expect(lookup.mock.calls[0]?.[0]).toBe("2606:2800::1");
  });

  it("fails with what the resolver says", async () => {
    const unknown = Object.assign(new Error("unknown"), { code: "ENOTFOUND" });
    answering((done) => done(unknown));
    await expect(resolveHost("nobody.example.com")).rejects.toBe(unknown);
  });
});
