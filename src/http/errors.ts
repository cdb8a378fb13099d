import type { Socket } from 'node:net';
import { kindWords, randomBase62 } from '../kernel/ids.ts';
import type { CodesOf, ErrorTable, Refusal } from '../kernel/result.ts';
import type { Authentication } from './caller.ts';

/** The coarse category of §7 for each status. */
export const ERROR_WORDS: Readonly<Record<number, string>> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  409: 'conflict',
  412: 'precondition_failed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  429: 'too_many_requests',
  431: 'headers_too_large',
  500: 'internal_error',
  503: 'unavailable',
};

/** The codes that the edge itself answers with; every domain has a table of its own (`errors.ts`). */
export const edgeErrors = {
  API_KEY_MISSING: { status: 401, message: 'Send your API key: Authorization: Bearer <API_KEY>.' },
  API_KEY_INVALID: { status: 401, message: 'This API key is unknown or revoked.' },
  API_KEY_EXPIRED: { status: 401, message: 'This API key has expired.' },
  IDEMPOTENCY_KEY_REUSED: { status: 409, message: 'This idempotency key was used with different content.' },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, message: 'A request with this idempotency key is still running.' },
  INVALID_TRANSITION: { status: 409, message: 'The resource is not in a state that allows this.' },
  PRECONDITION_FAILED: {
    status: 412,
    message: 'The resource has changed since you read it; see details. Read it again, then send the change.',
  },
  METHOD_NOT_ALLOWED: { status: 405, message: 'This path does not support this method; see the header Allow.' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The body is larger than this operation allows.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Send Content-Type: application/json.' },
  MALFORMED_REQUEST: { status: 400, message: 'The request is not valid HTTP, or its header Host is missing.' },
  REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time.' },
  HEADERS_TOO_LARGE: { status: 431, message: 'The address and the headers together have more than 16 KiB.' },
  MALFORMED_BODY: { status: 400, message: 'The body could not be read.' },
  INVALID_VALUE: {
    status: 400,
    message: 'A value of the request cannot be stored, such as a text with NUL characters or lone surrogates.',
  },
  RATE_LIMITED: { status: 429, message: 'Too many requests; wait for the seconds in Retry-After.' },
  TOO_MANY_AT_ONCE: {
    status: 429,
    message: 'Too many requests of this merchant are waiting; this one was not processed. Send fewer at the same time.',
  },
  TOOK_TOO_LONG: { status: 503, message: 'The request took too long. Check its outcome before you retry.' },
  CLOCK_BEHIND: {
    status: 503,
    message: 'The clock of the server is before the day of the last document. Set it right, then retry.',
  },
  DATABASE_FULL: {
    status: 503,
    message: 'The disk of the database is full. Free some space, then retry with the same idempotency key.',
  },
  DATABASE_UNAVAILABLE: {
    status: 503,
    message: 'The database does not answer. Retry with the same idempotency key: a completed request is not repeated.',
  },
} as const satisfies ErrorTable;

/** The reply to a refusal or a fault. */
export interface ErrorReply {
  status: number;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

/** The one place where a refusal becomes a reply (§7). Codes are looked up in the tables of all domains. */
export class ErrorReplies {
  readonly #table: ErrorTable;

  constructor(tables: readonly ErrorTable[]) {
    this.#table = mergeTables([edgeErrors, ...tables]);
  }

  /** The reply to a refusal. @throws for a code that no table lists: a fault of ours, answered as 500. */
  for(refusal: Refusal): ErrorReply {
    switch (refusal.kind) {
      case 'code': {
        const entry = this.#table[refusal.code];
        if (!entry) throw new Error(`No error table lists ${refusal.code}.`);
        return reply(
          refusal.status ?? entry.status,
          refusal.message ?? entry.message,
          { code: refusal.code, ...(refusal.details && { details: refusal.details }) },
          retryAfter(refusal.code, refusal.details),
        );
      }
      case 'validation': {
        const fields = refusal.errors.slice(0, 1000);
        const total = refusal.total ?? refusal.errors.length;
        return {
          status: 400,
          headers: {},
          body: {
            error: 'validation_error',
            message: 'The request is not valid; see errors.',
            errors: fields,
            ...(total > fields.length && { details: { total } }),
          },
        };
      }
      case 'not_found':
        return reply(
          404,
          refusal.message ?? `No such ${kindWords(refusal.what)}.`,
          refusal.field === undefined ? {} : { details: { field: refusal.field } },
        );
      case 'forbidden':
        return reply(403, refusal.message ?? 'This API key may not do this.', {});
    }
  }
}

const retryAfter = (
  code: string,
  { retryAfterSeconds }: Readonly<Record<string, unknown>> = {},
): Record<string, string> => {
  const seconds = code === 'IDEMPOTENCY_IN_PROGRESS' ? 1 : retryAfterSeconds;
  return typeof seconds === 'number' ? { 'retry-after': String(seconds) } : {};
};

/** The reply to a call without a caller. @param header `Authorization`, as it was sent */
export function authenticationReply(
  errors: ErrorReplies,
  found: Exclude<Authentication, { caller: unknown }>,
  header: string | undefined,
  environment: 'production' | 'sandbox' | undefined,
): ErrorReply {
  const message = found.code === 'API_KEY_INVALID' ? keyAdvice(header ?? '', environment) : undefined;
  const answer = errors.for({ kind: 'code', code: found.code, ...(message !== undefined && { message }) });
  if (found.code !== 'RATE_LIMITED') return answer;
  return { ...answer, headers: { ...answer.headers, 'retry-after': String(found.retryAfterSeconds) } };
}

const KEY_PREFIXES = { production: 'rk_live_', sandbox: 'rk_test_' } as const;

/** The probable fault of a key, by its form alone: it tells nothing that the caller does not know. */
function keyAdvice(header: string, environment: 'production' | 'sandbox' | undefined): string | undefined {
  const [scheme = '', token = ''] = header.split(' ', 2);
  if (scheme.startsWith('rk_')) return 'Write the word Bearer before the API key: Authorization: Bearer <API_KEY>.';
  if (!/^bearer$/i.test(scheme)) return 'Use Bearer: Authorization: Bearer <API_KEY>.';
  if (environment === undefined) return;
  const other = environment === 'production' ? 'sandbox' : 'production';
  if (!token.startsWith(KEY_PREFIXES[other])) return;
  const here = environment === 'sandbox' ? 'the sandbox' : 'production';
  return (
    `This is a ${other} key (${KEY_PREFIXES[other]}…); ` +
    `this is ${here}, whose keys begin with ${KEY_PREFIXES[environment]}.`
  );
}

/** A plain error reply. */
export const reply = (
  status: number,
  message: string,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): ErrorReply => ({
  status,
  headers: {
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(status === 503 || status === 429 ? { 'retry-after': '1' } : {}),
    ...headers,
  },
  body: { error: ERROR_WORDS[status], message, ...more },
});

/** All tables as one. @throws when two tables list one code differently. */
export function mergeTables(tables: readonly ErrorTable[]): ErrorTable {
  const merged: Record<string, ErrorTable[string]> = {};
  for (const table of tables) {
    for (const [code, entry] of Object.entries(table)) {
      const known = merged[code];
      if (known && (known.status !== entry.status || known.message !== entry.message))
        throw new Error(`${code} is listed twice.`);
      merged[code] = entry;
    }
  }
  return merged;
}

const PARSER_CODES = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
} as const;

const isParserCode = (code: string): code is keyof typeof PARSER_CODES => Object.hasOwn(PARSER_CODES, code);

/** An id of ours for a request. */
export const newRequestId = (): string => `req_${randomBase62(22)}`;

/**
 * Answers what Node's parser refuses, before there is a request: in the shape of all errors (§7), with an id. A
 * connection that is gone gets nothing.
 */
export function answerParserError(errors: ErrorReplies, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const given = error.code ?? '';
  const code = isParserCode(given) ? PARSER_CODES[given] : 'MALFORMED_REQUEST';
  const { status, body } = errors.for({ kind: 'code', code });
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_TEXTS[code]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${newRequestId()}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}

const STATUS_TEXTS = {
  MALFORMED_REQUEST: 'Bad Request',
  REQUEST_TIMEOUT: 'Request Timeout',
  HEADERS_TOO_LARGE: 'Request Header Fields Too Large',
} as const;

declare module '../kernel/result.ts' {
  interface ErrorCodes extends CodesOf<typeof edgeErrors> {}
}
