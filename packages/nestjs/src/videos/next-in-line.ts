import type { VideoTaskLimits, VideoTaskLine, WaitingVideo } from "./video-task-store.js";

/** What the choice depends on beside the line itself. */
export interface LineRules {
  limits: VideoTaskLimits;
  /** When each tenant last had a turn; those that are not in it have had none yet. */
  lastTurns: ReadonlyMap<string | undefined, number>;
  /** Milliseconds since the epoch. */
  now: number;
  /** Whether a tenant may have no turn right now. */
  isHeld(tenant: string | undefined): boolean;
}

/**
 * Whose turn it is: of the tenants that have something to send and room for it, the one that has not had a turn for the longest
 * time; of its submissions, the first of the highest priority. Undefined when nobody may.
 */
export function nextInLine(
  { waiting, open }: VideoTaskLine,
  { limits, lastTurns, now, isHeld }: LineRules,
): WaitingVideo | undefined {
  const { maxOpen = Number.POSITIVE_INFINITY, perTenant = Number.POSITIVE_INFINITY } = limits;
  if (open.length >= maxOpen) return undefined;
  const openOf = new Map<string | undefined, number>();
  for (const tenant of open) openOf.set(tenant, (openOf.get(tenant) ?? 0) + 1);
  const firstOf = new Map<string | undefined, WaitingVideo>();
  for (const video of waiting) {
    const { tenant, waiting: wait } = video;
    if ((wait.nextAttemptAt ?? 0) > now || (openOf.get(tenant) ?? 0) >= perTenant || isHeld(tenant)) continue;
    const first = firstOf.get(tenant);
    if (first === undefined || wait.priority > first.waiting.priority) firstOf.set(tenant, video);
  }
  let next: WaitingVideo | undefined;
  const lastTurn = ({ tenant }: WaitingVideo) => lastTurns.get(tenant) ?? Number.NEGATIVE_INFINITY;
  // In the order of submission where neither had a turn.
  for (const video of [...firstOf.values()].sort((one, other) => one.createdAt - other.createdAt))
    if (next === undefined || lastTurn(video) < lastTurn(next)) next = video;
  return next;
}
