import type { Exchange } from "../api/exchange.js";
import { requireModel } from "../api/require-model.js";
import { Field } from "../checks/field.js";
import { Answer } from "../http/answer.js";
import { isRecord } from "../json/is-record.js";
import { FALLBACK_HEADER } from "../media/fallback-media.js";
import { renderSpeech } from "../media/render-speech.js";
import { checkSpeechRequest } from "./check-speech-request.js";

/** `POST /audio/speech`: the spoken text as an audio file. */
export async function createSpeech(exchange: Exchange): Promise<Answer> {
  const { body, services, bill } = exchange;
  const request = checkSpeechRequest(Field.body(body));
  const model = requireModel(exchange, request.model, "speech");
  const { input, voice, format, speed } = request;
  bill.expect(model.id, { characters: [...input].length });
  const speech = await renderSpeech(services, { text: input, voice, format, speed, seed: services.seed });
  // A Response takes no shared memory.
  return new Answer(new Uint8Array(speech.bytes), {
    headers: {
      "content-type": speech.mediaType,
      "content-length": String(speech.bytes.byteLength),
      ...(speech.fallback ? FALLBACK_HEADER : {}),
    },
  });
}

/** The text of a request, checked or not, in which prompt markers count. */
export function speechInputText(body: unknown): string {
  const input = isRecord(body) ? body["input"] : undefined;
  return typeof input === "string" ? input : "";
}
