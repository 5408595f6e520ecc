/** Makes a stream one that survives its readers. */
export interface KeyedStreamOptions {
  /**
   * Names the stream: all that ask for it read the one that the first began, whatever their request. Anybody who knows the key
   * reads the answer, so bind it to a user or make it one that cannot be guessed.
   */
  key?: string | undefined;
  /**
   * Id of the last event that the reader has (`eventIdOf`): it gets exactly the rest, and never begins a call. Default:
   * the `Last-Event-ID` of the request that `chatEvents()` or `imageEvents()` answers, else from the beginning.
   */
  from?: string | undefined;
}
