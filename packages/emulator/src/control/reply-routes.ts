import type { Emulator } from "../emulator.js";
import { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";
import { maskKey } from "../state/key-store.js";
import { readReplyRule } from "../state/read-reply-rule.js";
import type { ActiveReply, ReplyRule } from "../state/reply-store.js";
import { type ControlRoute, emptyResponse, listResponse } from "./control-exchange.js";

/** `/api/replies`: answers that are written by hand. */
export const replyRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/api/replies",
    handle: ({ emulator }) => listResponse(emulator.replies.list().map(shown)),
  },
  {
    method: "POST",
    path: "/api/replies",
    body: "required",
    handle: ({ emulator, body }) => {
      const rule = readReplyRule(body);
      body.finish();
      const id = emulator.replies.add(rule as ReplyRule);
      return Answer.json(requireReply(emulator, id), { status: 201 });
    },
  },
  {
    method: "DELETE",
    path: "/api/replies",
    handle: ({ emulator }) => {
      emulator.replies.clear();
      return emptyResponse();
    },
  },
  {
    method: "DELETE",
    path: "/api/replies/:id",
    handle: ({ emulator, parameters }) => {
      const { id } = requireReply(emulator, parameters["id"]);
      emulator.replies.clear(id);
      return emptyResponse();
    },
  },
];

function requireReply(emulator: Emulator, wanted = "") {
  const reply = emulator.replies.list().find(({ id }) => id === wanted);
  if (!reply) throw APIError.notFound(`There is no reply "${wanted.slice(0, 64)}".`);
  return shown(reply);
}

/** As JSON has it: patterns as they are written, and of code that there is some. */
function shown({ when, reply, ...rest }: ActiveReply) {
  const { text, key } = when ?? {};
  return {
    ...rest,
    ...(when && {
      when: {
        ...when,
        ...(text !== undefined && { text: String(text) }),
        ...(key !== undefined && { key: maskKey(key) }),
      },
    }),
    ...(reply !== undefined && { reply: typeof reply === "function" ? "(a function)" : reply }),
  };
}
