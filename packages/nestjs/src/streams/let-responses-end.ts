/** More than an ended response needs until its connection counts as idle. */
const TURNS = 8;

/**
 * Gives responses that were just ended the few turns of the event loop until their connections are idle. Idle ones
 * are closed with the server; any other would hold up its close until its keep-alive runs out, seconds later.
 */
export async function letResponsesEnd(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }
}
