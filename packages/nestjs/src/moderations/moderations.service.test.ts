import { WELL_KNOWN_KEY } from "@model-gateway/emulator";
import { expect, it } from "vitest";
import { bootApp } from "../../test/boot-app.js";
import { useEmulator } from "../../test/use-emulator.js";
import { ModelGatewayModule, ModerationsService } from "../index.js";

const THREAT = "I'm going to stab my neighbour.";
const MODELS = { model: "local-moderation", chatModel: "local-chat" };

async function bootModerations({ enabled }: { enabled: boolean }) {
  const { emulator, connection } = await useEmulator();
  emulator.keys.update(WELL_KNOWN_KEY, { moderation: enabled });
  const { app } = await bootApp([ModelGatewayModule.forRoot(connection)]);
  return app.get(ModerationsService);
}

it("creates a moderation as the gateway answers it", async () => {
  const moderations = await bootModerations({ enabled: true });
  const { results } = await moderations.create({ model: "local-moderation", input: THREAT });
  expect(results[0]).toMatchObject({ flagged: true, categories: { violence: true } });
});

it("says so when the key has no moderation", async () => {
  const moderations = await bootModerations({ enabled: false });
  await expect(moderations.create({ model: "local-moderation", input: THREAT })).rejects.toMatchObject({
    kind: "permission_denied",
  });
});

it.each([
  { enabled: true, source: "endpoint" },
  { enabled: false, source: "chat" },
])("classifies a text by the $source", async ({ enabled, source }) => {
  const moderations = await bootModerations({ enabled });
  expect(await moderations.classify(THREAT, MODELS)).toMatchObject({
    action: "block",
    categories: { violence: true },
    source,
  });
  expect(await moderations.classify("Good morning!", MODELS)).toMatchObject({ action: "allow", source });
});
