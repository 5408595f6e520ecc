import { readMembers } from "../checks/read-members.js";
import { Answer } from "../http/answer.js";
import type { ControlRoute } from "./control-exchange.js";

/** The last point in time that a date can hold. */
const END_OF_TIME_MS = 8_640_000_000_000_000;

/** `/api/clock`: where the clock stands, in milliseconds since the epoch, and moving it. */
export const clockRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/api/clock",
    handle: ({ emulator: { clock } }) => Answer.json({ now: clock.now(), nextAt: clock.nextAt() ?? null }),
  },
  {
    method: "POST",
    path: "/api/clock",
    body: "required",
    handle: async ({ emulator, body }) => {
      const { clock } = emulator;
      const { advanceMs, setMs, next } = readMembers<{ advanceMs: number; setMs: number; next: true }>(body, {
        advanceMs: (field) => field.number({ min: 0, max: Math.max(0, END_OF_TIME_MS - clock.now()) }),
        setMs: (field) => field.number({ min: 0, max: END_OF_TIME_MS }),
        next: (field) => (field.value === true ? true : field.refuse("must be true")),
      });
      if ([advanceMs, setMs, next].filter((member) => member !== undefined).length !== 1) {
        body.refuse("must hold one of advanceMs, setMs and next");
        body.finish();
      }
      if (advanceMs !== undefined) await clock.advance(advanceMs);
      if (setMs !== undefined) await clock.set(setMs);
      // What is late by now needs no jump.
      if (next) await clock.set(Math.max(clock.now(), clock.nextAt() ?? 0));
      return Answer.json({ now: clock.now(), nextAt: clock.nextAt() ?? null });
    },
  },
];
