import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Database, Reports, Tx } from '../db/index.ts';
import type { ErrorTable, Refusal } from '../kernel/result.ts';
import type { Instant } from '../kernel/time.ts';
import type { Authentication, Caller } from './caller.ts';
import type { ErrorReply } from './errors.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { Deliveries } from './reference/operations.ts';
import type { ErrorPage, Place, Route } from './route.ts';
import type { PagePlaces } from './sharing/page-places.ts';
import type { RateLimiter } from './sharing/rate-limit.ts';
import type { Slot, Slots } from './sharing/slots.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the handler of every route that is not public. */
    caller: Caller | null;
    /** The answer of the route's `admit`. */
    place: Place | null;
    /** The right to be in work; null before it, and where none is needed. */
    slot: Slot | null;
  }
  interface FastifyContextConfig {
    errorPage?: ErrorPage | undefined;
    /** The schemas of the answers, by status. */
    replies?: Route['declaration']['replies'];
  }
}

/** One change made through the API, for the audit log. */
export interface AuditEntry {
  readonly merchantId: string;
  readonly caller: Caller;
  readonly operation: string;
  readonly resourceId: string | null;
  readonly before: unknown;
  readonly after: unknown;
  readonly requestId: string;
  readonly at: Instant;
}

/** The sign-in of the web console, whose requests carry a session in place of an API key. */
export interface ConsoleDoor {
  /** The refusal of a request that another site may have made; null: none. */
  guard(request: FastifyRequest): Refusal | null;
  /** The person who is signed in. @throws the refusal of everybody else, and of a merchant that is not theirs */
  authenticate(request: FastifyRequest): Promise<Caller>;
  /** The secret of the session in the cookies of a request; empty: none. */
  secretOf(request: FastifyRequest): string;
}

/** A request that was answered, for its span. */
export interface RequestReport {
  readonly method: string;
  /** The declared path, `/v0/products/:id`, never the one that was sent. */
  readonly route: string;
  readonly status: number;
  readonly requestId: string;
  readonly seconds: number;
}

/** The spans of requests; each request is known by its object. */
export interface RequestTracer {
  /** Begins a span: what `next` leads to belongs to it. @param traceparent the header of the caller */
  begin(request: object, traceparent: string | undefined, next: () => void): void;
  /** Continues in it: the end of a body comes from the connection, which belongs to no request. */
  resume(request: object, next: () => void): void;
  end(request: object, report: RequestReport): void;
}

/** The dependencies of the API; `app.ts` binds them. */
export interface ServerOptions {
  readonly database: Database;
  /** Reads reports from a standby; absent: there is none. */
  readonly reports?: Pick<Reports, 'transaction'> | undefined;
  readonly routes: readonly Route[];
  readonly errorTables: readonly ErrorTable[];
  /** The webhooks that the document describes; absent: none. */
  readonly deliveries?: Deliveries;
  readonly authenticate: (token: string | undefined, address: string) => Authentication | Promise<Authentication>;
  /** The sign-in of the web console; absent: there is no console. */
  readonly console?: ConsoleDoor;
  readonly audit: (tx: Tx, entry: AuditEntry) => Promise<void>;
  /** Wall time; the only place of the API where it comes in. */
  readonly now: () => Instant;
  readonly logger: Logger;
  /** The environment, for messages about keys of the other one. */
  readonly environment?: 'production' | 'sandbox';
  readonly baseUrl: string;
  /** The proxies with a trusted `X-Forwarded-For`; absent: none. */
  readonly trustedProxies?: readonly string[];
  readonly metrics?: Metrics;
  /** Makes spans of requests; absent: there are none. */
  readonly tracer?: RequestTracer | undefined;
  /** Request rates; absent: unlimited. */
  readonly rateLimiter?: RateLimiter;
  /** How many requests of a merchant may be in work; absent: any number. */
  readonly slots?: Slots;
  /** The places of pages that need no key; absent: any number. */
  readonly pagePlaces?: PagePlaces;
  /** Called after each request that may have changed something, because background jobs may be due now. */
  readonly onChange?: () => void;
  /** How long a handler may take; 20 s. Shorter for tests. */
  readonly handlerMilliseconds?: number;
  /** How long an answer waits for the outcome of a call to a provider; 10 s. Shorter for tests. */
  readonly outcomeMilliseconds?: number;
  /** Every answer is held against its schema, and one that does not fit is a 500: for tests. */
  readonly checkReplies?: boolean;
}

/** The key of `Authorization: Bearer <key>` (§5). */
export function bearerToken(request: FastifyRequest): string | undefined {
  const header = request.headers.authorization;
  return header === undefined ? undefined : (/^Bearer ([\x21-\x7e]{1,512})$/i.exec(header)?.[1] ?? '');
}

/** Sends an error body; from a page for people as a page, save to who asks for JSON. */
export function send(reply: FastifyReply, { status, headers, body }: ErrorReply): FastifyReply {
  const page = reply.request.routeOptions.config?.errorPage;
  if (page && !asksForJson(reply.request)) return sendPage(reply, page, status, headers);
  return reply.code(status).headers(headers).type('application/json; charset=utf-8').send(JSON.stringify(body));
}

const asksForJson = ({ headers: { accept = '' } }: FastifyRequest): boolean =>
  accept.includes('application/json') && !accept.includes('text/html');

/** Sends the page that tells a person of an error. */
export function sendPage(
  reply: FastifyReply,
  page: ErrorPage,
  status: number,
  more: Readonly<Record<string, string>> = {},
): FastifyReply {
  const { text, headers } = page(status, reply.request.headers['accept-language']);
  return reply
    .code(status)
    .headers({ ...more, ...headers })
    .send(text);
}

/** Among the content types of a route: every JSON type with a name of its own, such as `application/geo+json`. */
export const JSON_SUFFIX = 'application/*+json';
export const JSON_SUFFIX_TYPE = /^application\/[\w.+-]+\+json(?=$|;)/i;

const JSON_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i;
const CHARSET = /;\s*charset\s*=\s*"?([\w.:-]+)/i;

/** Why a body is not read as it comes; `encoding`: the answer says that bodies come without one. */
export interface MediaProblem {
  readonly message?: string;
  readonly isEncoding?: true;
}

/**
 * What is wrong with how a JSON body comes: its encoding, its content type, its charset; null: nothing.
 * @param more the content types that the route takes beside JSON
 */
export function mediaProblem(
  method: string,
  headers: IncomingHttpHeaders,
  more: readonly string[] = [],
): MediaProblem | null {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  const encoding = headers['content-encoding'];
  if (hasBody && encoding !== undefined && encoding.toLowerCase() !== 'identity')
    return { message: 'Send the body without Content-Encoding: it is not decompressed here.', isEncoding: true };
  const contentType = headers['content-type'];
  if (contentType === undefined) return hasBody ? {} : null;
  if (JSON_TYPE.test(contentType)) return null;
  const name = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (more.includes(name) || (more.includes(JSON_SUFFIX) && JSON_SUFFIX_TYPE.test(name))) return null;
  if (!hasBody && method === 'GET') return null;
  const charset = name === 'application/json' ? CHARSET.exec(contentType)?.[1] : undefined;
  return charset === undefined || /^utf-8$/i.test(charset)
    ? {}
    : { message: `Send the body as UTF-8: the charset ${charset} is not read.` };
}
