import type { ErrorCode } from './generated/types.ts';

/** A field of the body or the query that was refused, and why. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

interface Refusal {
  readonly status: number;
  readonly code: ErrorCode | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly fields: readonly FieldError[];
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
}

/** Everything that the SDK throws of its own. */
export class ReckonerError extends Error {
  override readonly name: string = 'ReckonerError';
}

/** No answer came: the connection failed, or broke before the answer was whole. */
export class ConnectionError extends ReckonerError {
  override readonly name: string = 'ConnectionError';
}

/** No answer came in time. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
}

/** The server refused. `code` is the reason for programs; where it is null, `status` says enough. */
export class ApiError extends ReckonerError {
  override readonly name: string = 'ApiError';
  readonly status: number;
  readonly code: ErrorCode | null;
  /** More about the error; the code decides which fields there are. */
  readonly details: Readonly<Record<string, unknown>>;
  /** The wrong fields of a 400. */
  readonly fields: readonly FieldError[];
  /** What the server's log calls the request. */
  readonly requestId: string | null;
  /** When to try again, where the server says it. */
  readonly retryAfterSeconds: number | null;

  constructor(message: string, { status, code, details, fields, requestId, retryAfterSeconds }: Refusal) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
    this.fields = fields;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** 400: a field is wrong; see `fields`. */
export class ValidationError extends ApiError {
  override readonly name = 'ValidationError';
}

/** 401: no key, or one that is not valid. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError';
}

/** 403: the key may not do this. */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError';
}

/** 404: there is no such resource, or it is another merchant's. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
}

/** 409: the state of the resource does not allow it; see `code`. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError';
}

/** 412: the resource has changed since it was read; `details.changed` says how. */
export class PreconditionFailedError extends ApiError {
  override readonly name = 'PreconditionFailedError';
}

/** 429: too many requests. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError';
}

/** 5xx: the server failed. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError';
}

const CLASSES: Readonly<Record<number, typeof ApiError>> = {
  400: ValidationError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  412: PreconditionFailedError,
  429: RateLimitError,
};

interface RefusalBody {
  readonly message?: string;
  readonly code?: ErrorCode;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly errors?: readonly FieldError[];
}

/** The error of an answer that is no success. */
export function errorOf(response: Pick<Response, 'status' | 'headers'>, body: unknown): ApiError {
  const { status, headers } = response;
  const {
    message,
    code,
    details = {},
    errors,
  } = (typeof body === 'object' && body !== null ? body : {}) as RefusalBody;
  const said = message ?? `The server answered ${status}.`;
  const Kind = CLASSES[status] ?? (status >= 500 ? ServerError : ApiError);
  return new Kind(said, {
    status,
    code: code ?? null,
    details,
    fields: errors ?? (typeof details.field === 'string' ? [{ field: details.field, message: said }] : []),
    requestId: headers.get('x-request-id'),
    retryAfterSeconds: secondsOf(headers.get('retry-after')),
  });
}

/** The seconds of a `Retry-After`: a number, or a date. */
function secondsOf(header: string | null): number | null {
  if (header === null) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}
