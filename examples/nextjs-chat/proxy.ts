import { type NextRequest, NextResponse } from "next/server";

/** Lets the server know who asks: answers are those of one visitor. */
export function proxy(request: NextRequest): NextResponse {
  const response = NextResponse.next();
  if (!request.cookies.has("visitor"))
    response.cookies.set("visitor", crypto.randomUUID(), { httpOnly: true, sameSite: "lax" });
  return response;
}

export const config = { matcher: ["/", "/edge"] };
