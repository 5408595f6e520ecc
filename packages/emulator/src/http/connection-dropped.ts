/** Thrown instead of a response: the connection is to be destroyed, as a broken network would. */
export class ConnectionDropped extends Error {
  override readonly name = "ConnectionDropped";

  constructor() {
    super("A fault of the emulator dropped the connection.");
  }
}
