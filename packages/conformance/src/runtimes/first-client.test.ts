import { expect, it } from "vitest";
import { RUNTIMES } from "./run-in-runtime.js";

/** Which of Node's own modules hold its HTTP client, before and after something needs one. */
const PROGRAM = `
  const loaded = () => process.moduleLoadList.filter((name) => name.includes("undici/undici")).length;
  new core.ModelGateway({ apiKey: "sk-a", baseURL: "http://127.0.0.1:1/v1" });
  const byTheClient = loaded();
  new Headers();
  return [byTheClient, loaded()];
`;

it.each(["Node 20", "Node 22", "Node 24"])(
  "a client that is made loads no HTTP client in %s",
  async (name) => {
    expect(await RUNTIMES[name]?.({ code: PROGRAM, config: {} })).toEqual([0, 1]);
  },
);
