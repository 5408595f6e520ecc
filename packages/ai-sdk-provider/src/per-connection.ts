import type { Connection } from "@model-gateway/core";

/** Makes one thing for each connection, when it is first asked for: the models of a provider share it. */
export function perConnection<T extends object>(
  make: (connection: Connection) => T,
): (connection: Connection) => T {
  const made = new WeakMap<Connection, T>();
  return (connection) => {
    const known = made.get(connection) ?? make(connection);
    made.set(connection, known);
    return known;
  };
}
