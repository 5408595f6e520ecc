/** What a server said of a request that it did not do. */
export interface Refusal {
  status: number;
  code: string | undefined;
  /** Where the bucket is, if the server tells. */
  region: string | undefined;
}

const CREDENTIALS = "Nothing can be kept until the credentials are mended.";
const PERMISSIONS = "s3:GetObject, s3:PutObject, s3:DeleteObject and, on the bucket, s3:ListBucket";
const PASSES = "That passes by itself.";
const REGION = "Set the option region to that of the bucket";

/** What the codes mean to whoever runs the application. Servers that copy S3 use the same. */
const MEANINGS: Record<string, string> = {
  InvalidAccessKeyId: `it knows no such accessKeyId. ${CREDENTIALS}`,
  SignatureDoesNotMatch: `the secretAccessKey is not that of the accessKeyId, or something on the way changes requests. ${CREDENTIALS}`,
  ExpiredToken: `the sessionToken has expired. Give credentials as a function, which is asked before each request. ${CREDENTIALS}`,
  InvalidToken: `the sessionToken is wrong. ${CREDENTIALS}`,
  RequestTimeTooSkewed: "the clock of this machine is wrong. Set it.",
  AccessDenied: `these credentials may not do that. They need ${PERMISSIONS}; without the last, a file that is not there looks like one that is forbidden.`,
  NoSuchBucket: "there is no such bucket. Make it, or mend the option bucketURL.",
  PermanentRedirect: `the bucket is elsewhere. ${REGION}, and bucketURL to its address.`,
  TemporaryRedirect: "the bucket has just been made, and is not known everywhere yet. That passes by itself.",
  AuthorizationHeaderMalformed: `it takes signatures for another region. ${REGION}.`,
  EntityTooLarge: "the file is larger than it takes in one request, which is 5 GiB at most on AWS.",
  MetadataTooLarge: "the origin of the file is too long for it: 2 KB of metadata is what servers take.",
  QuotaExceeded: "the bucket is full.",
  XMinioStorageFull: "its disk is full.",
  XAmzContentSHA256Mismatch: `the file was damaged on the way. ${PASSES}`,
  BadDigest: `the file was damaged on the way. ${PASSES}`,
  SlowDown: `it is asked for too much at once. ${PASSES}`,
};
const STATUS_MEANINGS: Record<number, string> = {
  301: MEANINGS["PermanentRedirect"] ?? "",
  307: MEANINGS["TemporaryRedirect"] ?? "",
  401: `it does not take these credentials. ${CREDENTIALS}`,
  403: `it does not take these credentials, or they may not do that: ${PERMISSIONS} are needed. ${CREDENTIALS}`,
  404: MEANINGS["NoSuchBucket"] ?? "",
  411: "something on the way drops the length of the file. Look for a proxy in between.",
  413: MEANINGS["EntityTooLarge"] ?? "",
  429: MEANINGS["SlowDown"] ?? "",
  507: "it is full.",
};

/** What a refusal means, as the end of a sentence: `403 AccessDenied: these credentials may not do that. …` */
export function explainRefusal({ status, code, region }: Refusal): string {
  const known = (code === undefined ? undefined : MEANINGS[code]) ?? STATUS_MEANINGS[status];
  const meaning = known ?? (status >= 500 ? `it fails. ${PASSES}` : "it does not do that.");
  const where = region === undefined ? "" : ` The bucket is in ${region}.`;
  return `${[status, code].filter((part) => part !== undefined).join(" ")}: ${meaning}${where}`;
}
