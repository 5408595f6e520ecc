/**
 * What becomes of a reservation: a call is under way (`running`), a video task is (`task`), or nobody will ever tell what
 * it came to (`unresolved`), so that it counts as spent.
 */
export type ReservationState = "running" | "task" | "unresolved";

/** What a call has reserved. Amounts are in the units that the gateway counts in. Plain JSON. */
export interface Reservation {
  id: string;
  /** Names what it is taken from: one budget in one window, of one key or tag. */
  account: string;
  /** When the window of the account is over, in milliseconds since the epoch. */
  endsAt: number;
  amount: number;
  state: ReservationState;
  /** When it was made, in milliseconds since the epoch. */
  at: number;
  /** Until then its process is taken to live, in milliseconds since the epoch; while the call is `running`. */
  leaseUntil: number;
  /** The process that made it. */
  owner: string;
  /** As the user wrote it: `videos.create`. */
  call: string;
  model?: string;
  /** The `Idempotency-Key` that the call was sent with. */
  requestKey?: string;
  /** The tag of the call. */
  tag?: string;
  /** Id of the video task. */
  task?: string;
}

/** How an account stands. Amounts are in the units that the gateway counts in. */
export interface AccountState {
  account: string;
  /** When its window is over, in milliseconds since the epoch. */
  endsAt: number;
  limit: number;
  /** With what is `unresolved`. */
  spent: number;
  reserved: number;
  /** Shares of the limit that have been reached by this step, and never before: each is told once. */
  reached: readonly number[];
}

/** What a store says of a reservation that it was asked for. */
export interface ReserveOutcome extends AccountState {
  granted: boolean;
}

/** A change of a reservation that stays. */
export interface HoldRequest {
  id: string;
  state: "task" | "unresolved";
  /** What stays reserved, or for `unresolved` counts as spent. */
  amount: number;
  /** What has been spent beside it. */
  spent: number;
  task?: string;
}

type Answer<T> = T | Promise<T>;

/**
 * Keeps what budgets have spent and reserved. Each method is one step for all processes that share the store; none returns
 * before what it did would outlive the process, where the store promises that. Methods reject when the store cannot be
 * reached; it is then unknown whether the step was made, and it may be made again: none does anything twice.
 *
 * `budgetStoreContract` of `@model-gateway/core/testing` is what every store must do.
 */
export interface BudgetStore {
  /** Whether several processes share it, so that reservations have leases, and outlive their processes. */
  readonly shared: boolean;

  /**
   * Takes `amount` from the account if what is spent and reserved stays within `limit`; an amount of 0 always does. Where
   * there is a reservation with that id already, its amount is raised to this one.
   *
   * @param refuses whether a call that does not fit is refused now, so that the limit counts as reached if the call alone
   * would fit into it
   */
  reserve(reservation: Reservation, limit: number, refuses: boolean): Answer<ReserveOutcome>;

  /**
   * Ends a reservation.
   *
   * @param amount what was spent; undefined for what was reserved
   * @returns undefined when there is none with that id: what is settled twice counts once
   */
  settle(id: string, amount: number | undefined): Answer<AccountState | undefined>;

  /** Changes a reservation whose call is over, and which stays. @returns undefined when there is none with that id */
  hold(request: HoldRequest): Answer<AccountState | undefined>;

  /** The processes of these reservations live; one that was taken for `unresolved` is `running` again. */
  renew(ids: readonly string[], leaseUntil: number): Answer<void>;

  /**
   * Makes `running` reservations whose lease has ended `unresolved`, and forgets windows that are long over.
   *
   * @param now milliseconds since the epoch
   * @returns those that have become so by this step: each is returned once
   */
  sweep(now: number): Answer<readonly Reservation[]>;

  /** All reservations there are. */
  list(): Answer<readonly Reservation[]>;

  /** @returns undefined for an account that nothing was ever taken from */
  look(account: string): Answer<Pick<AccountState, "spent" | "reserved"> | undefined>;

  /** Called once, after everything else. */
  close?(): Promise<void>;
}
