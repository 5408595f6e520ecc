import { expect, it } from "vitest";
import { bearer, errorOf, startEmulator } from "../testing/start-emulator.js";

it("tells its prices as ratios, beside every base address", async () => {
  const { emulator } = await startEmulator();
  const { origin } = new URL(emulator.url);
  for (const prefix of ["", "/cdn", "/specialized", "/specialized-cdn"]) {
    const url = `${origin}${prefix}/api/pricing`;
    const table = await (await fetch(url, { headers: bearer("sk-emulator") })).json();
    expect(table).toMatchObject({ success: true, group_ratio: { default: 1 } });
    const row = (id: string) => table.data.find((entry: { model_name: string }) => entry.model_name === id);
    // 250 and 1000 units per thousand tokens.
    expect(row("local-chat")).toEqual({
      model_name: "local-chat",
      quota_type: 0,
      model_ratio: 0.25,
      model_price: 0,
      completion_ratio: 4,
      enable_groups: expect.arrayContaining(["default"]),
    });
    expect(row("local-speech")).toMatchObject({ model_ratio: 8, completion_ratio: 1 });
    expect(row("local-image")).toMatchObject({ model_ratio: 1, completion_ratio: 1 });
    expect(row("local-video-2.0")).toMatchObject({ model_ratio: 3.5 });
  }
  expect(await errorOf(await fetch(`${origin}/api/pricing`))).toMatchObject({ status: 401 });
});
