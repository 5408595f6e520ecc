export type { Answer, RecordedRequest } from "./answer.js";
export { CHAT_STREAMS, type ChatMeaning, type ChatStream, HEAD } from "./chat-streams.js";
export { cutBytes, PACES, type Pace, randomNumbers } from "./cut-bytes.js";
export { dataOf } from "./data-of.js";
export { IMAGE_STREAMS, type ImageStreamMeaning, type ImageStreamScenario } from "./image-streams.js";
export {
  ENDINGS,
  type Ending,
  FRAMINGS,
  type Framing,
  type ReplayOptions,
  replay,
  SCENARIOS,
  textsOf,
} from "./replay.js";
export { type ScenarioServer, startScenarioServer } from "./scenario-server.js";
export { unusedOrigin } from "./unused-origin.js";
export {
  answerWith,
  breakAfterRequest,
  compress,
  cutShort,
  dribble,
  lieAboutLength,
  repeat,
  stall,
  type WholeAnswer,
} from "./whole-answers.js";
export { dataEvent, END_MARKER, type WireEvent, withLineEnds } from "./wire-event.js";
