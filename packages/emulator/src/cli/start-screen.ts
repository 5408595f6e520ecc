import type { Emulator } from "../emulator.js";
import { WELL_KNOWN_KEY } from "../state/key-store.js";

/** What `start` shows once the gateway runs. */
export function startScreen({ url, urls, models: { list }, recordings }: Emulator, media: string): string {
  const models = list().map(({ id, like }) => (like === undefined ? id : `${id} (like ${like})`));
  const tape = recordings.about();
  const answers = tape === undefined ? "" : `\n  Answers          ${tape}`;
  return `
  Model Gateway emulator is running.

  General          ${urls.general}
  CDN              ${urls.cdn}
  Specialized      ${urls.specialized}
  Specialized CDN  ${urls.specializedCdn}

  API key          ${WELL_KNOWN_KEY}
  Models           ${models.join(", ")}
  Media            ${media}${answers}
  Console          ${new URL("/_emulator/", url)}

  Point a client at it:

    export MODEL_GATEWAY_API_KEY=${WELL_KNOWN_KEY}
    export MODEL_GATEWAY_BASE_URL=${url}

  Or ask it something:

    curl ${url}/chat/completions \\
      -H "Authorization: Bearer ${WELL_KNOWN_KEY}" -H "Content-Type: application/json" \\
      -d '{"model":"local-chat","messages":[{"role":"user","content":"What is 6 times 7?"}]}'

  Stop it with Ctrl+C.
`;
}
