/** What an answer's status says about the call. The one table for retries, permanence, doubt and failover. */
export interface StatusJudgement {
  /** When repeating the call is safe and may help: `always`, `unless_billable`, or `never`. */
  retry: "always" | "unless_billable" | "never";
  /** Whether the gateway may have done the work all the same. */
  doubtful: boolean;
  /** Whether another address may know better; reads only go there. */
  failover: boolean;
}

const REFUSED: StatusJudgement = { retry: "never", doubtful: false, failover: false };
const RATE_LIMITED: StatusJudgement = { retry: "always", doubtful: false, failover: false };
const GAVE_UP: StatusJudgement = { retry: "unless_billable", doubtful: true, failover: false };
const FAILED: StatusJudgement = { retry: "unless_billable", doubtful: true, failover: true };

/**
 * |             | repeated            | may have been done | reads fail over |
 * |-------------|---------------------|--------------------|-----------------|
 * | 408         | unless it is billable | yes              | no              |
 * | 429         | yes                 | no                 | no              |
 * | 501         | no: the gateway does not have this | no  | no              |
 * | other 5xx   | unless it is billable | yes              | yes             |
 * | all others  | no                  | no                 | no              |
 *
 * @param status of the answer, or for an error inside a successful one the status that it stands for
 */
export function judgeStatus(status: number): StatusJudgement {
  if (status === 429) return RATE_LIMITED;
  if (status === 408) return GAVE_UP;
  return status >= 500 && status !== 501 ? FAILED : REFUSED;
}
