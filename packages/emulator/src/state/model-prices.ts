import type { CountedUsage } from "./ledger.js";

/** Units (1/500000 of a currency unit) per thousand of what is counted. */
export type ModelPrice = Readonly<Partial<Record<Exclude<keyof CountedUsage, "images">, number>>>;

/**
 * What a call of each model costs. These prices are the emulator's own: the API description shows none, and no
 * gateway charges them. They keep the proportions that such models usually have.
 */
export const modelPrices: Readonly<Record<string, ModelPrice>> = {
  "local-chat": { inputTokens: 250, outputTokens: 1_000 },
  "local-reasoner": { inputTokens: 500, outputTokens: 2_000 },
  "local-embedding": { inputTokens: 50 },
  "local-image": { outputTokens: 1_000 },
  "local-image-b64": { inputTokens: 4_000, outputTokens: 16_000 },
  "local-chat-image": { inputTokens: 4_000, outputTokens: 16_000 },
  "local-speech": { characters: 8_000 },
  "local-speech-specialized": { characters: 16_000 },
  "local-moderation": { inputTokens: 10 },
  "local-video-2.0": { videoTokens: 3_500 },
  "local-video-1.5-pro": { videoTokens: 2_000 },
  "local-image2video": { videoTokens: 3_000 },
  "local-omni-video": { videoTokens: 4_000 },
};

/** The whole units that come of a price, which may be absurd. */
export function costOf(price: ModelPrice, counted: CountedUsage): number {
  const perThousand = Object.entries(price).reduce(
    (sum, [name, units]) => sum + units * (counted[name as keyof ModelPrice] ?? 0),
    0,
  );
  return Math.min(Math.ceil(perThousand / 1_000), Number.MAX_SAFE_INTEGER);
}
