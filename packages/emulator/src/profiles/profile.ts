/** In whose shapes the gateway answers, and how strict it is. */
export interface ProfileSettings {
  /** `strict` refuses what the API does not describe; `tolerant` takes it for what clients mean. */
  requests: "strict" | "tolerant";
  /**
   * Shapes, status words and paths of video tasks: as described, or as the routes behind gateways have them: `ark` (flat tasks),
   * `kling` (wrapped tasks and callbacks), `bailian` and `newapi` (both). Their own paths are served beside the described ones.
   */
  tasks: "spec" | "ark" | "kling" | "bailian" | "newapi";
  /** Envelopes of errors. */
  errors: "spec" | "ark" | "kling" | "bailian" | "newapi";
  /** Habits of streams of chat. */
  streams: {
    /** Whether `data: [DONE]` ends them. */
    doneMarker: boolean;
    /** Where the usage stands: in a chunk of its own, or in the last one of the answer. */
    usage: "own-chunk" | "last-chunk";
    /** Whether comments keep the connection alive, also before the first event. */
    comments: boolean;
    /** Whether the first chunk has an empty id. */
    emptyFirstId: boolean;
  };
}

const SPEC: ProfileSettings = {
  requests: "strict",
  tasks: "spec",
  errors: "spec",
  streams: { doneMarker: true, usage: "own-chunk", comments: false, emptyFirstId: false },
};

/**
 * Profiles by name:
 * - `spec`: as the API is described, everything that it marks required, bounded or enumerated checked;
 * - `tolerant`: what clients of the chat wire format send beside it is taken for what they mean, or passed over;
 * - `ark`, `kling`, `bailian`, `newapi`: answers in the shapes, status words, envelopes and habits of such routes.
 */
export const PROFILES = {
  spec: SPEC,
  tolerant: { ...SPEC, requests: "tolerant" },
  ark: { ...SPEC, tasks: "ark", errors: "ark" },
  kling: { ...SPEC, tasks: "kling", errors: "kling" },
  bailian: {
    ...SPEC,
    ...{ tasks: "bailian", errors: "bailian" },
    streams: { ...SPEC.streams, usage: "last-chunk" },
  },
  newapi: {
    ...SPEC,
    ...{ tasks: "newapi", errors: "newapi" },
    streams: { doneMarker: false, usage: "last-chunk", comments: true, emptyFirstId: true },
  },
} as const satisfies Record<string, ProfileSettings>;

export type ProfileName = keyof typeof PROFILES;

/** A profile by its name, or one of one's own: what it leaves out is as `spec` has it. */
export type Profile =
  | ProfileName
  | (Partial<Omit<ProfileSettings, "streams">> & { streams?: Partial<ProfileSettings["streams"]> });

const CHOICES = {
  requests: ["strict", "tolerant"],
  tasks: ["spec", "ark", "kling", "bailian", "newapi"],
  errors: ["spec", "ark", "kling", "bailian", "newapi"],
  streams: {
    doneMarker: [true, false],
    usage: ["own-chunk", "last-chunk"],
    comments: [true, false],
    emptyFirstId: [true, false],
  },
} as const;

/** @throws TypeError that names what is wrong */
export function settleProfile(profile: Profile): ProfileSettings {
  if (typeof profile === "string") {
    if (Object.hasOwn(PROFILES, profile)) return PROFILES[profile];
    throw new TypeError(
      `profile must be one of ${Object.keys(PROFILES).join(", ")}, or settings (got ${profile}).`,
    );
  }
  const { streams, ...rest } = profile;
  requireChoices("profile", rest, { ...CHOICES, streams: undefined });
  requireChoices("profile.streams", streams ?? {}, CHOICES.streams);
  return { ...SPEC, ...rest, streams: { ...SPEC.streams, ...streams } };
}

function requireChoices(
  path: string,
  given: object,
  choices: Readonly<Record<string, readonly unknown[] | undefined>>,
): void {
  for (const [name, value] of Object.entries(given)) {
    const allowed = Object.hasOwn(choices, name) ? choices[name] : undefined;
    if (allowed === undefined) {
      throw new TypeError(`${path}.${name} is unknown; there are ${Object.keys(choices).join(", ")}.`);
    }
    if (!allowed.includes(value)) {
      throw new TypeError(`${path}.${name} must be one of ${allowed.join(", ")} (got ${String(value)}).`);
    }
  }
}
