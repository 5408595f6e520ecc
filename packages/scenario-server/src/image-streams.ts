import { dataEvent, dataText, END_MARKER, type WireEvent, withLineEnds } from "./wire-event.js";

/** A stream of images as one of the families sends it, and what it says. */
export interface ImageStreamScenario {
  name: string;
  /** Whether images are made or edited. */
  kind: "generation" | "edit";
  /** With the end marker where the family sends one. A finishing event is one that brings a whole image. */
  events: readonly WireEvent[];
  means: ImageStreamMeaning;
}

/** What a reader must have understood of a stream that ended properly. */
export interface ImageStreamMeaning {
  /** Whole images in order: their Base64 or their address. */
  images: ReadonlyArray<{ index: number; base64?: string; url?: string }>;
  /** Partial images, in order. */
  partials?: ReadonlyArray<{ index: number; partialIndex: number; base64: string }>;
  failed?: ReadonlyArray<{ index: number; message: string }>;
  usage?: Record<string, unknown>;
  /** The error that the stream reports; `status` is what it means. */
  error?: { message: string; code?: string; status: number };
}

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const DRAFT = "iVBORw0KGgo=";
const USAGE = { total_tokens: 7, input_tokens: 2, output_tokens: 5 };
const SET_USAGE = { generated_images: 2, output_tokens: 8, total_tokens: 8 };

type Fields = Record<string, unknown>;

/** An event with its name on a line of its own. */
function named(data: Fields): WireEvent {
  return { text: `event: ${String(data["type"])}\n${dataText(data)}` };
}

const finishing = (event: WireEvent): WireEvent => ({ ...event, finishes: true });

/** The stream of a Base64-only model: drafts, then the image. */
function base64Stream(kind: "generation" | "edit"): WireEvent[] {
  const type = kind === "edit" ? "image_edit" : "image_generation";
  const shape = { size: "1024x1024", quality: "low", background: "opaque", output_format: "png" };
  const partial = (index: number) =>
    named({
      type: `${type}.partial_image`,
      b64_json: DRAFT,
      partial_image_index: index,
      created_at: 1,
      ...shape,
    });
  return [
    partial(0),
    partial(1),
    finishing(named({ type: `${type}.completed`, b64_json: PNG, created_at: 1, ...shape, usage: USAGE })),
  ];
}

const DRAFTS = [
  { index: 0, partialIndex: 0, base64: DRAFT },
  { index: 0, partialIndex: 1, base64: DRAFT },
];
const ONE_IMAGE: ImageStreamMeaning = { images: [{ index: 0, base64: PNG }], partials: DRAFTS, usage: USAGE };

const SET_HEAD = { model: "m", created: 1 };

function setImage(index: number): WireEvent {
  const type = "image_generation.partial_succeeded";
  const url = `https://files.example/${index}.jpeg`;
  return finishing(dataEvent({ type, ...SET_HEAD, image_index: index, url, size: "2048x2048" }));
}

const SET_END = finishing(dataEvent({ type: "image_generation.completed", ...SET_HEAD, usage: SET_USAGE }));

/** Streams of images as both families send them. */
export const IMAGE_STREAMS: readonly ImageStreamScenario[] = [
  {
    name: "a generated image and its drafts",
    kind: "generation",
    events: base64Stream("generation"),
    means: ONE_IMAGE,
  },
  { name: "an edited image and its drafts", kind: "edit", events: base64Stream("edit"), means: ONE_IMAGE },
  {
    name: "the same with a marker, comments and CRLF",
    kind: "generation",
    events: withLineEnds([{ text: ": ping\n\n" }, ...base64Stream("generation"), END_MARKER], "\r\n"),
    means: ONE_IMAGE,
  },
  {
    name: "two images of one request",
    kind: "generation",
    events: [
      finishing(named({ type: "image_generation.completed", b64_json: PNG })),
      finishing(named({ type: "image_generation.completed", b64_json: DRAFT, usage: USAGE })),
      END_MARKER,
    ],
    means: {
      images: [
        { index: 0, base64: PNG },
        { index: 1, base64: DRAFT },
      ],
      usage: USAGE,
    },
  },
  {
    name: "a set of images and its usage",
    kind: "generation",
    events: [setImage(0), setImage(1), SET_END, END_MARKER],
    means: {
      images: [
        { index: 0, url: "https://files.example/0.jpeg" },
        { index: 1, url: "https://files.example/1.jpeg" },
      ],
      usage: SET_USAGE,
    },
  },
  {
    name: "a set of which one image failed",
    kind: "generation",
    events: [
      dataEvent({
        type: "image_generation.partial_failed",
        ...SET_HEAD,
        image_index: 0,
        error: { code: "OutputImageSensitive", message: "refused" },
      }),
      setImage(1),
      SET_END,
      END_MARKER,
    ],
    means: {
      images: [{ index: 1, url: "https://files.example/1.jpeg" }],
      failed: [{ index: 0, message: "refused" }],
      usage: SET_USAGE,
    },
  },
  {
    name: "an error before any image",
    kind: "generation",
    events: [
      named({ type: "image_generation.partial_image", b64_json: DRAFT, partial_image_index: 0 }),
      {
        ...finishing(
          named({ type: "error", error: { message: "Upstream is down.", type: "server_error", code: 502 } }),
        ),
        error: true,
      },
      END_MARKER,
    ],
    means: {
      images: [],
      partials: [{ index: 0, partialIndex: 0, base64: DRAFT }],
      error: { message: "Upstream is down.", code: "502", status: 502 },
    },
  },
];
