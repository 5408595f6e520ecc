/** How streams with a key are kept. Durations are milliseconds. */
export interface StreamSettings {
  /** How long a stream that nobody reads goes on. Default 60000. */
  graceMs: number;
  /** How long a stream is kept after its end. Default 300000. */
  keepMs: number;
  /** How long a process may be silent before the streams that it makes are taken for cut, in a shared store. Default 15000. */
  leaseMs: number;
  /** Of one stream's events as JSON. Default 64 MiB. */
  maxStreamBytes: number;
}

export const DEFAULT_STREAM_SETTINGS: StreamSettings = {
  graceMs: 60_000,
  keepMs: 300_000,
  leaseMs: 15_000,
  maxStreamBytes: 64 * 2 ** 20,
};

/** How often owners and readers show that they are there. */
export function heartbeatMs({ graceMs, leaseMs }: StreamSettings): number {
  return Math.max(1, Math.min(graceMs, leaseMs) / 3);
}
