import { ApiError, ConnectionError, errorOf, TimeoutError } from './errors.ts';
import { parseExactly } from './exact.ts';
import { VERSION } from './generated/operations.ts';

/** What a single call may say for itself. */
export interface CallOptions {
  /** Ends the call; it then throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** For each attempt. Default: that of the client. */
  readonly timeoutMilliseconds?: number | undefined;
  /** Attempts after the first one. Default: that of the client. */
  readonly retries?: number | undefined;
  /** With the same key and body a POST is done once. Default: a new key for each call, the same in its retries. */
  readonly idempotencyKey?: string | undefined;
  /** The ETag of the resource as you read it: a resource that has changed since is left alone (412). */
  readonly ifMatch?: string | undefined;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What all calls of a client share. */
export interface CallSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly timeoutMilliseconds: number;
  readonly retries: number;
  readonly fetch: typeof globalThis.fetch;
}

/** A request, ready to be sent any number of times. */
export interface Request {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body?: unknown;
  /** The body is JSON text already. */
  readonly isWritten?: boolean;
  readonly isFile?: boolean;
}

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 8_000;
/** A server that asks for a longer pause has an error instead of a sleeping program. */
const LONGEST_WAIT_SECONDS = 60;

/**
 * Sends a request until there is an answer. A refusal is sent again where the server did nothing and may do it later;
 * a lost connection where a second request does no harm.
 * @throws ApiError for a refusal, ConnectionError and TimeoutError where no answer comes, the reason of the signal
 */
export async function send(settings: CallSettings, request: Request, options: CallOptions = {}): Promise<unknown> {
  const key = options.idempotencyKey ?? (request.method === 'POST' ? newKey() : undefined);
  const keyed = key === undefined ? options : { ...options, idempotencyKey: key };
  const retries = options.retries ?? settings.retries;
  let mayBeDone = false;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await once(settings, request, keyed);
    } catch (error) {
      const pause = attempt < retries ? pauseBefore(error, request.method, attempt) : null;
      if (pause === null) {
        if (mayBeDone && request.method === 'DELETE' && isGone(error)) return undefined; // an earlier attempt did it
        throw error;
      }
      mayBeDone ||= error instanceof ConnectionError;
      await sleep(pause, options.signal);
    }
  }
}

const isGone = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** How long to wait before the next attempt, in milliseconds; null: there is none. */
function pauseBefore(error: unknown, method: string, attempt: number): number | null {
  if (!mayRepeat(error, method)) return null;
  const asked = error instanceof ApiError ? error.retryAfterSeconds : null;
  if (asked !== null && asked > LONGEST_WAIT_SECONDS) return null;
  const growing = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** attempt);
  return (asked ?? 0) * 1000 + growing * (asked === null ? 0.5 + Math.random() / 2 : Math.random() / 2);
}

/** A PATCH has no idempotency key: it is repeated only where the server surely did nothing. */
function mayRepeat(error: unknown, method: string): boolean {
  if (error instanceof ConnectionError) return method !== 'PATCH';
  if (!(error instanceof ApiError)) return false;
  if (error.status === 429 || error.code === 'IDEMPOTENCY_IN_PROGRESS') return true;
  return error.status >= 500 && error.status !== 501 && method !== 'PATCH';
}

async function once(settings: CallSettings, request: Request, options: CallOptions): Promise<unknown> {
  const { method, path, body, isFile = false, isWritten = false } = request;
  const limit = AbortSignal.timeout(options.timeoutMilliseconds ?? settings.timeoutMilliseconds);
  const isBlob = typeof Blob !== 'undefined' && body instanceof Blob;
  try {
    const response = await settings.fetch(settings.baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${settings.apiKey}`,
        'x-reckoner-client': `sdk/${VERSION}`,
        ...(body !== undefined && { 'content-type': isBlob ? body.type : 'application/json' }),
        ...(options.idempotencyKey !== undefined && { 'idempotency-key': options.idempotencyKey }),
        ...(options.ifMatch !== undefined && { 'if-match': options.ifMatch }),
        ...options.headers,
      },
      ...(body !== undefined && { body: isBlob ? body : isWritten ? (body as string) : JSON.stringify(body) }),
      signal: options.signal ? AbortSignal.any([options.signal, limit]) : limit,
    });
    if (isFile && response.ok) return new Uint8Array(await response.arrayBuffer());
    const text = await response.text();
    if (!response.ok) throw errorOf(response, parsed(text));
    return text === '' ? undefined : parseExactly(text);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (options.signal?.aborted) throw options.signal.reason;
    if (limit.aborted) throw new TimeoutError(`${method} ${path} had no answer in time.`, { cause: error });
    throw new ConnectionError(`${method} ${path} had no answer: ${reasonOf(error)}`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error && cause.message !== '' ? cause.message : message;
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null; // a proxy answered
  }
};

const newKey = (): string => globalThis.crypto.randomUUID();

/** Waits; a signal ends it with its reason. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      fail(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      done();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
