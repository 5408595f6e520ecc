import { setTimeout as pause } from "node:timers/promises";
import { readEvents } from "../read-events.js";

/** What a reader went through. */
export interface AnswerReading {
  /** The key that the answer came whole under. */
  key: string;
  text: string;
  /** Times that it left, or was left, and came back. */
  returns: number;
  /** Streams that ended early, told so, before one came whole. */
  endedEarly: Array<{ key: string; text: string }>;
}

/** Where a reader goes: the address of any replica that is up. */
export type PickAddress = () => string | undefined;

/** A stream whose end is an error tells it each time. */
const ERRORS_TO_BELIEVE = 4;
const AWAY_MS = 50;

/**
 * Reads an answer as a browser does: leaves after some events, comes back to whichever replica with the id of the last, and
 * asks anew, under another key, when a stream has ended early.
 */
export async function readAnswer(
  name: string,
  { pick, random }: { pick: PickAddress; random: () => number },
): Promise<AnswerReading> {
  const endedEarly: AnswerReading["endedEarly"] = [];
  let returns = 0;
  for (let attempt = 0; ; attempt++) {
    const key = `${name}-${attempt}`;
    let text = "";
    let lastId: string | undefined;
    for (let errors = 0; errors < ERRORS_TO_BELIEVE; ) {
      const leaveAfter = 1 + Math.floor(random() * 12);
      const visit = await readSome(`${pick()}/answers/${key}`, lastId, leaveAfter);
      text += visit.text;
      lastId = visit.lastId ?? lastId;
      if (visit.end === "whole") return { key, text, returns, endedEarly };
      if (visit.end === "gone") break;
      if (visit.text !== "") errors = 0;
      if (visit.end === "error") errors += 1;
      returns += 1;
      await pause(AWAY_MS);
    }
    endedEarly.push({ key, text });
  }
}

interface Visit {
  text: string;
  lastId: string | undefined;
  /** `gone`: it is told to stay away, and has not everything. */
  end: "whole" | "gone" | "error" | "left";
}

async function readSome(url: string, from: string | undefined, leaveAfter: number): Promise<Visit> {
  const visit: Visit = { text: "", lastId: undefined, end: "left" };
  const headers = { accept: "text/event-stream", ...(from !== undefined && { "last-event-id": from }) };
  try {
    const response = await fetch(url, { headers });
    if (response.status === 204) return { ...visit, end: "gone" };
    if (!response.ok) {
      await response.body?.cancel();
      return { ...visit, end: "error" };
    }
    let count = 0;
    for await (const { type, data, id, retry } of readEvents(response)) {
      visit.lastId = id ?? visit.lastId;
      if (type === "error") return { ...visit, end: "error" };
      // What is not there any more is told so where the head of the answer had gone out.
      if (type === "done") return { ...visit, end: retry === undefined ? "whole" : "gone" };
      if (type === "message") visit.text += JSON.parse(data).choices[0]?.delta.content ?? "";
      if (++count >= leaveAfter) return visit;
    }
    return visit;
  } catch {
    // The replica is gone, or going.
    return visit;
  }
}
