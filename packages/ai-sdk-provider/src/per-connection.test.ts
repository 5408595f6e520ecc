import { Connection } from "@model-gateway/core";
import { expect, it } from "vitest";
import { perConnection } from "./per-connection.js";

it("makes one thing for each connection, however many models ask for it", () => {
  const connect = () => new Connection({ apiKey: "sk-test", baseURL: "https://gateway.example/v1" });
  const made: Connection[] = [];
  const thingOf = perConnection((connection) => {
    made.push(connection);
    return { connection };
  });
  const [one, other] = [connect(), connect()];
  expect(made).toEqual([]);
  expect(thingOf(one)).toBe(thingOf(one));
  expect(thingOf(other).connection).toBe(other);
  expect(thingOf(one).connection).toBe(one);
  expect(made).toEqual([one, other]);
});
