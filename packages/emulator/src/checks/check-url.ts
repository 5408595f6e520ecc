import type { Field } from "./field.js";

/** The forms of URL that an input of a model may have. */
export interface URLForms {
  /** `image` or `audio` admits `data:<kind>/…;base64,…`. */
  data?: "image" | "audio";
  /** Subtypes a data URL may have; any when absent. */
  subtypes?: readonly string[];
  /** Admits `asset://<asset_id>`. */
  asset?: boolean;
}

/** A shorter text is a word, not a picture. */
const SHORTEST_BASE64_IMAGE = 16;

/** Reads a URL of one of the forms; notes a problem for any other. */
export function checkURL(field: Field, { data, subtypes, asset }: URLForms): string | undefined {
  const url = field.string();
  if (url === undefined) return undefined;
  if (isPublicURL(url)) return url;
  if (asset && /^asset:\/\/\S+$/.test(url)) return url;
  if (data && url.startsWith(`data:${data}/`)) return checkDataURL(field, url, data, subtypes);
  const forms = ["a public http(s) URL"];
  if (data) forms.push(`a data:${data}/...;base64,... value`);
  if (asset) forms.push("asset://<asset_id>");
  return field.refuse(
    `must be ${forms.length > 1 ? `${forms.slice(0, -1).join(", ")} or ${forms.at(-1)}` : forms[0]}`,
  );
}

/** Whether the text is an absolute http or https URL. */
export function isPublicURL(text: string): boolean {
  if (!/^https?:\/\//i.test(text)) return false;
  return URL.canParse(text);
}

function checkDataURL(
  field: Field,
  url: string,
  kind: string,
  subtypes?: readonly string[],
): string | undefined {
  const comma = url.indexOf(",");
  const header = comma < 0 ? url.slice(0, 200) : url.slice(0, comma);
  if (comma < 0 || !header.endsWith(";base64")) {
    return field.refuse(`must have the form data:${kind}/...;base64,...`);
  }
  const subtype = header.slice(`data:${kind}/`.length).split(";")[0]?.toLowerCase() ?? "";
  if (subtypes && !subtypes.includes(subtype)) {
    return field.refuse(
      `must hold ${kind} data of one of the formats ${subtypes.join(", ")} (got "${subtype.slice(0, 40)}")`,
    );
  }
  if (!isBase64(url, comma + 1)) return field.refuse("must hold valid Base64 after the comma");
  return url;
}

/** Reads an image as a public URL, a data URL or bare Base64; notes a problem for anything else. */
export function checkImageInput(field: Field): string | undefined {
  const image = field.string();
  if (image === undefined) return undefined;
  if (isPublicURL(image)) return image;
  if (image.startsWith("data:image/")) return checkDataURL(field, image, "image");
  if (!image.startsWith("data:") && image.length >= SHORTEST_BASE64_IMAGE && isBase64(image)) return image;
  return field.refuse("must be a public http(s) URL, a data:image/...;base64,... value or Base64 image data");
}

/** Checks the text from `start` without copying it: inputs may be many megabytes. */
function isBase64(text: string, start = 0): boolean {
  if (start >= text.length) return false;
  const pattern = /[A-Za-z0-9+/]+={0,2}$/y;
  pattern.lastIndex = start;
  return pattern.test(text);
}
