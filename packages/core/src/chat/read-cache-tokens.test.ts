import { expect, it } from "vitest";
import { readCacheTokens } from "./read-cache-tokens.js";

it.each([
  [{ prompt_tokens_details: { cached_tokens: 1 } }, { read: 1 }],
  [{ prompt_cache_hit_tokens: 2 }, { read: 2 }],
  [
    { cache_read_input_tokens: 0, cache_creation_input_tokens: 4 },
    { read: 0, written: 4 },
  ],
  [{ prompt_tokens_details: { cached_tokens: null, cache_write_tokens: 5 } }, { written: 5 }],
  [{ prompt_tokens_details: { cache_creation_tokens: 6 } }, { written: 6 }],
  [{ prompt_tokens_details: { cached_creation_tokens: 7 }, cache_creation_input_tokens: 8 }, { written: 7 }],
  [{ prompt_tokens_details: null, prompt_cache_hit_tokens: "9" }, {}],
  [undefined, {}],
  [null, {}],
])("cache tokens of %j are %j", (usage, tokens) => {
  expect(readCacheTokens(usage as never)).toEqual(tokens);
});
