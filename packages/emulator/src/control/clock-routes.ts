import { readMembers } from "../checks/read-members.js";
import type { ControlRoute } from "./control-exchange.js";

/** The last point in time that a date can hold. */
const END_OF_TIME_MS = 8_640_000_000_000_000;

/** `/api/clock`: where the clock stands, in milliseconds since the epoch, and moving it. */
export const clockRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/api/clock",
    handle: ({ emulator }) => Response.json({ now: emulator.clock.now() }),
  },
  {
    method: "POST",
    path: "/api/clock",
    body: "required",
    handle: async ({ emulator, body }) => {
      const { clock } = emulator;
      const { advanceMs, setMs } = readMembers<{ advanceMs: number; setMs: number }>(body, {
        advanceMs: (field) => field.number({ min: 0, max: Math.max(0, END_OF_TIME_MS - clock.now()) }),
        setMs: (field) => field.number({ min: 0, max: END_OF_TIME_MS }),
      });
      if ((advanceMs === undefined) === (setMs === undefined)) {
        body.refuse("must hold one of advanceMs and setMs");
        body.finish();
      }
      if (advanceMs !== undefined) await clock.advance(advanceMs);
      if (setMs !== undefined) await clock.set(setMs);
      return Response.json({ now: clock.now() });
    },
  },
];
