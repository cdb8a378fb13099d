import { ERROR_WORDS } from '../errors.ts';
import { ErrorBody, Type, ValidationErrorBody } from '../schema.ts';
import type { NamedSchemas } from './named-schemas.ts';

/** Headers, parameters and responses that many operations share: each stands in the document once. */

type Part = Readonly<Record<string, unknown>>;

const BadRequest = Type.Union([ErrorBody, ValidationErrorBody], {
  $id: 'BadRequest',
  description: 'A refusal with a code, or a list of wrong fields.',
});

/** The headers of answers. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'The id of the request: the one that was sent, or a generated one.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description:
      'The remaining requests (`r`), and the seconds until all of them are available again (`t`). ' +
      'Absent: there is no limit.',
    schema: { type: 'string', examples: ['"general";r=99;t=1'] },
  },
  'RateLimit-Policy': {
    description: 'The quota (`q`) and its window in seconds (`w`). Absent: there is no limit.',
    schema: { type: 'string', examples: ['"general";q=100;w=2'] },
  },
  'Retry-After': {
    description: 'The seconds to wait before the next attempt.',
    schema: { type: 'string', pattern: String.raw`^\d+$`, examples: ['1'] },
  },
  'Idempotent-Replayed': {
    description: '`true`: the stored answer to an earlier request with this Idempotency-Key. Absent: a new answer.',
    schema: { type: 'string', enum: ['true'] },
  },
  ETag: {
    description: 'The state of the resource. Send it as `If-Match` with a change.',
    schema: { type: 'string', examples: ['"mJ0bq0x0Tq2m1l4bV0pRsAzK3f"'] },
  },
  'Reckoner-Data-Age': {
    description:
      'The age of the data of a report in seconds: everything is in it that was stored that long before the request. ' +
      'Absent: the data is that of now. `Cache-Control: no-cache` asks for it.',
    schema: { type: 'string', pattern: String.raw`^\d+$`, examples: ['2'] },
  },
  'WWW-Authenticate': {
    description: 'How to send a key.',
    schema: { type: 'string', examples: ['Bearer'] },
  },
} as const satisfies Readonly<Record<string, Part>>;

export type HeaderName = keyof typeof HEADERS;

const LIMITS = ['RateLimit', 'RateLimit-Policy'] as const;

/** The headers of an answer that is no error. */
export const headersOf = (answer: {
  readonly hasLimits: boolean;
  readonly takesKey: boolean;
  readonly hasTag: boolean;
  readonly isReport: boolean;
}): readonly HeaderName[] => [
  'X-Request-Id',
  ...(answer.hasLimits ? LIMITS : []),
  ...(answer.takesKey ? (['Idempotent-Replayed'] as const) : []),
  ...(answer.hasTag ? (['ETag'] as const) : []),
  ...(answer.isReport ? (['Reckoner-Data-Age'] as const) : []),
];

/** Some headers as references. */
export const showHeaders = (names: readonly HeaderName[]): Part =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** The parameters of requests. */
export const PARAMETERS = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes a retry safe: the same key with the same content answers the first reply and does nothing. ' +
      'Other content is a 409.',
    schema: { type: 'string', pattern: '^[ -~]{1,255}$', examples: ['order-4711'] },
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'The ETag of the resource as you read it, or several, separated by commas. If the resource has changed since, ' +
      'nothing happens and the answer is 412. `*` matches every state. Absent: the change is made in any case.',
    schema: { type: 'string', examples: ['"mJ0bq0x0Tq2m1l4bV0pRsAzK3f"'] },
  },
} as const satisfies Readonly<Record<string, Part>>;

const deliveryHeader = (name: string, description: string) =>
  ({ name, in: 'header', required: true, description, schema: { type: 'string' } }) as const;

/** The parameters of the webhooks that the program sends. */
export const DELIVERY_PARAMETERS = {
  'webhook-id': deliveryHeader('webhook-id', 'The id of the event. It is the same in every attempt.'),
  'webhook-timestamp': deliveryHeader('webhook-timestamp', 'The time of the attempt, in seconds since 1970.'),
  'webhook-signature': deliveryHeader('webhook-signature', 'A signature for each secret that is valid now.'),
  'webhook-endpoint-id': deliveryHeader('webhook-endpoint-id', 'The id of the endpoint.'),
} as const satisfies Readonly<Record<string, Part>>;

/** A reference to a parameter. */
export const parameter = (name: string): Part => ({ $ref: `#/components/parameters/${name}` });

/** Each error status in words, with its headers beside the common ones. */
const ERRORS: Readonly<Record<number, { readonly words: string; readonly headers?: readonly HeaderName[] }>> = {
  400: {
    words: 'Fields are wrong: `errors` lists each. Or a state forbids it: `code` says which.',
    headers: [...LIMITS, 'Idempotent-Replayed'],
  },
  401: { words: 'The API key is missing, unknown or expired.', headers: ['WWW-Authenticate'] },
  403: { words: 'The role does not allow it, or the resource is another merchant’s.', headers: LIMITS },
  404: { words: 'There is no such resource.', headers: [...LIMITS, 'Idempotent-Replayed'] },
  409: {
    words: 'The state does not allow it: `code` says why.',
    headers: [...LIMITS, 'Idempotent-Replayed', 'Retry-After'],
  },
  412: {
    words: 'The resource has changed since its ETag: `details` has the ETag of now and the fields that differ.',
    headers: LIMITS,
  },
  413: { words: 'The body is larger than this operation allows.', headers: LIMITS },
  415: { words: 'The body has another content type than this operation takes.', headers: LIMITS },
  429: { words: 'Too many requests. Wait for the time in `Retry-After`.', headers: [...LIMITS, 'Retry-After'] },
  500: { words: 'A fault on our side. A retry with the same idempotency key is safe.', headers: LIMITS },
  503: { words: 'Not available. Wait for the time in `Retry-After`.', headers: [...LIMITS, 'Retry-After'] },
};

/** The name of the response with an error status: `NotFound`. */
const nameOf = (status: number): string =>
  (ERROR_WORDS[status] as string).replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** A reference to the response with an error status. */
export const errorResponse = (status: number): Part => ({ $ref: `#/components/responses/${nameOf(status)}` });

/** The responses with errors, by their names. */
export function responsesOf(schemas: NamedSchemas): Part {
  const [badRequest, error] = [schemas.ofReply(BadRequest), schemas.ofReply(ErrorBody)];
  return Object.fromEntries(
    Object.entries(ERRORS).map(([status, { words, headers = [] }]) => [
      nameOf(Number(status)),
      {
        description: words,
        headers: showHeaders(['X-Request-Id', ...headers]),
        content: { 'application/json': { schema: status === '400' ? badRequest : error } },
      },
    ]),
  );
}
