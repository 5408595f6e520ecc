import { METHOD_NAME_ALL } from "hono/router";
import { TrieRouter } from "hono/router/trie-router";
import { getPath, tryDecodeURIComponent } from "hono/utils/url";
import type { Answer } from "../http/answer.js";

/** Answers a request at a path that was asked for. */
export type Handler = (request: Request, parameters: Record<string, string>) => Answer | Promise<Answer>;

/** Leads requests to whoever stands first for their method and path. */
export class Router {
  readonly #routes = new TrieRouter<Handler>();
  readonly #otherwise: Handler;

  /** @param otherwise answers what nobody else does */
  constructor(otherwise: Handler) {
    this.#otherwise = otherwise;
  }

  /** Those for `GET` are asked for `HEAD` as well; they can tell by the request. */
  on(method: string, path: string, handler: Handler): void {
    this.#routes.add(method, path, handler);
  }

  /** For every method. */
  all(path: string, handler: Handler): void {
    this.on(METHOD_NAME_ALL, path, handler);
  }

  async answer(request: Request): Promise<Answer> {
    if (request.method !== "HEAD") return this.#answer(request, request.method);
    const answer = await this.#answer(request, "GET");
    await answer.cancel();
    return answer.withBody(null);
  }

  #answer(request: Request, method: string): Answer | Promise<Answer> {
    const [[[handler, found] = [this.#otherwise, {}]]] = this.#routes.match(method, getPath(request));
    const parameters = Object.fromEntries(
      Object.entries(found as Record<string, string>).map(([name, value]) => [
        name,
        tryDecodeURIComponent(value),
      ]),
    );
    return handler(request, parameters);
  }
}
