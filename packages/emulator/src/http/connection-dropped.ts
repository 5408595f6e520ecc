/** Thrown instead of a response: the connection is to be destroyed, as a broken network would. */
export class ConnectionDropped extends Error {
  override readonly name = "ConnectionDropped";

  /** Whether with a reset, as of a server that broke down, and not with an end. */
  readonly isReset: boolean;

  constructor({ isReset = false } = {}) {
    super("A fault of the emulator dropped the connection.");
    this.isReset = isReset;
  }
}
