/** Where a task stands, in one vocabulary for all families. */
export type VideoStatus = "queued" | "running" | "succeeded" | "failed" | "cancelled" | "expired";

/** The statuses by name, for those who have states of their own in the same vocabulary. */
export const VIDEO_STATUS: { readonly [Status in VideoStatus]: Status } = {
  queued: "queued",
  running: "running",
  succeeded: "succeeded",
  failed: "failed",
  cancelled: "cancelled",
  expired: "expired",
};

/** Every status word of every family and route. No other file spells one that a server sends. */
const WORDS: Record<VideoStatus, readonly string[]> = {
  queued: ["queued", "submitted", "pending", "not_start"],
  running: ["running", "processing", "in_progress"],
  succeeded: ["success", "succeed", "succeeded", "completed"],
  failed: ["fail", "failed", "failure", "error"],
  cancelled: ["canceled", "cancelled"],
  expired: ["expired"],
};

const STATUS_BY_WORD = new Map<string | undefined, VideoStatus>(
  (Object.keys(WORDS) as VideoStatus[]).flatMap((status) =>
    WORDS[status].map((word) => [word, status] as const),
  ),
);

/** Reads a status word in any case. A word that is not known means: keep polling. */
export function readStatusWord(word: string | undefined): VideoStatus {
  return STATUS_BY_WORD.get(word?.trim().toLowerCase()) ?? "running";
}

/** Where a task stands that is over. */
export type FinalVideoStatus = Exclude<VideoStatus, "queued" | "running">;

/** Whether a task is over. */
export function isTerminal(status: VideoStatus): status is FinalVideoStatus {
  return status !== "queued" && status !== "running";
}

/** Every way in which a task ends. */
export const FINAL_VIDEO_STATUSES: readonly FinalVideoStatus[] = (Object.keys(WORDS) as VideoStatus[]).filter(
  isTerminal,
);

/** How a task stands for somebody who only wants the video. */
export type VideoOutcome = "pending" | "success" | "failure";

/** Reduces the six states to the three that most callers branch on. */
export function videoOutcome({ status }: { status: VideoStatus }): VideoOutcome {
  if (!isTerminal(status)) return "pending";
  return status === "succeeded" ? "success" : "failure";
}
