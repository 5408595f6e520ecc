import { useCallback, useEffect, useState } from "preact/hooks";
import { messageOf } from "./format.js";
import { ended } from "./live-calls.js";

/** What was read, why it could not be, and reading it anew. */
export interface Data<T> {
  data: T | undefined;
  error: string | undefined;
  reload: () => Promise<void>;
}

const EVERY_MS = 1_000;

/** Reads something when it is first shown, when a call has ended, and, where time alone changes it, every second. */
export function useData<T>(read: () => Promise<T>, { poll = false }: { poll?: boolean } = {}): Data<T> {
  const [data, setData] = useState<T>();
  const [error, setError] = useState<string>();
  const reload = useCallback(async () => {
    try {
      setData(await read());
      setError(undefined);
    } catch (thrown) {
      setError(messageOf(thrown));
    }
  }, []);
  const seen = ended.value;
  useEffect(() => void reload(), [seen]);
  useEffect(() => {
    if (!poll) return undefined;
    const timer = setInterval(() => void reload(), EVERY_MS);
    return () => clearInterval(timer);
  }, [poll]);
  return { data, error, reload };
}

/** Does something, and keeps what goes wrong to be shown. */
export function useAction(): {
  error: string | undefined;
  isBusy: boolean;
  run: (work: () => Promise<unknown>) => Promise<void>;
} {
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const run = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (thrown) {
      setError(messageOf(thrown));
    } finally {
      setBusy(false);
    }
  };
  return { error, isBusy, run };
}
