/** Where the control API is. */
const CONTROL = "/_emulator/api";

/** Asks the control API. @throws Error with what it says */
export async function control<T>(path: string, method = "GET", body?: unknown): Promise<T> {
  const response = await fetch(CONTROL + path, {
    method,
    ...(body !== undefined && {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  });
  if (response.status === 204) return undefined as T;
  const answer = (await response.json()) as T & { error?: { message?: string } };
  if (!response.ok) throw new Error(answer.error?.message ?? `The emulator answered ${response.status}.`);
  return answer;
}

/** A list of the control API. */
export async function list<T>(path: string): Promise<T[]> {
  return (await control<{ data: T[] }>(path)).data;
}

/** Where the answer of a call can be read as a file. */
export function answerURL(id: string): string {
  return `${CONTROL}/journal/${encodeURIComponent(id)}/response`;
}

/** Where the whole state can be read as a file. */
export function stateURL(): string {
  return `${CONTROL}/state`;
}

/** What happens to the journal, as it happens. */
export function events(): EventSource {
  return new EventSource(`${CONTROL}/events`);
}

/** A file of the emulator under the origin of this page, by whatever name the client had reached it. */
export function ownFile(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { pathname, search } = new URL(url);
  return pathname.startsWith("/files/") ? pathname + search : undefined;
}
