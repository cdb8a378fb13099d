/** One failing field of a request (§7, `ValidationError`). `field` is a dotted path: `consumer.email`, `3.type`. */
export interface FieldError {
  field: string;
  message: string;
  code?: string;
}

/**
 * The codes of all domains. Each domain adds its table: `interface ErrorCodes extends CodesOf<typeof clockErrors> {}`,
 * so that an unlisted code does not compile.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the domains fill it
export interface ErrorCodes {}
export type CodesOf<Table extends ErrorTable> = { readonly [Code in keyof Table]: ErrorEntry };
/** A code of an error table. */
export type ErrorCode = keyof ErrorCodes;

/**
 * Why a request is refused. What the caller is told, and with which status, is decided in one place: `http/errors.ts`.
 */
export type Refusal =
  /**
   * A business code listed in a domain's error table. `message` and `status` replace the table's, where an operation
   * can say more, or has to answer another status.
   */
  | {
      kind: 'code';
      code: ErrorCode;
      message?: string;
      status?: ErrorEntry['status'];
      details?: Record<string, unknown>;
    }
  /** 400 `validation_error`: fields are to blame. `total` where the list was cut. */
  | { kind: 'validation'; errors: FieldError[]; total?: number }
  /** 404; `field` names the body field that held the unknown id. */
  | { kind: 'not_found'; what: string; field?: string; message?: string }
  /** 403. */
  | { kind: 'forbidden'; message?: string };

export type Failure = { readonly ok: false; readonly refusal: Refusal };
export type Success<T> = { readonly ok: true; readonly value: T };

/** The result of an operation: a value, or a refusal that the caller can act on. */
export type Result<T> = Success<T> | Failure;

/** The answer of an operation that was carried out. */
export const ok = <T>(value: T): Success<T> => ({ ok: true, value });

/** The result with another value; a refusal stays. */
export const mapped = <From, To>(result: Result<From>, to: (value: From) => To): Result<To> =>
  result.ok ? ok(to(result.value)) : result;

const refused = (refusal: Refusal): Failure => ({ ok: false, refusal });

/** A refusal with a business code of a domain's error table. */
export const fail = (code: ErrorCode, details?: Record<string, unknown>, message?: string): Failure =>
  refused({
    kind: 'code',
    code,
    ...(message === undefined ? {} : { message }),
    ...(details === undefined ? {} : { details }),
  });

/** The same as a conflict, of a code that other operations answer with another status. */
export const failAsConflict = (code: ErrorCode, details: Record<string, unknown>, message: string): Failure =>
  refused({ kind: 'code', code, message, status: 409, details });

/** A refusal that names each failing field. */
export const invalid = (errors: FieldError[], total?: number): Failure =>
  refused({ kind: 'validation', errors, ...(total === undefined ? {} : { total }) });

/** A refusal for one failing field. */
export const invalidField = (field: string, message: string, code?: string): Failure =>
  invalid([{ field, message, ...(code === undefined ? {} : { code }) }]);

/** A refusal because something does not exist; `field` names the body field that held its id. */
export const notFound = (what: string, field?: string): Failure =>
  refused({ kind: 'not_found', what, ...(field === undefined ? {} : { field }) });

/** A refusal because a plan has no version of this number. */
export const noVersion = (planId: string, versionNumber: number | string, field?: string): Failure =>
  refused({
    kind: 'not_found',
    what: 'plan version',
    message: `Plan ${planId} has no version ${versionNumber}.`,
    ...(field === undefined ? {} : { field }),
  });

/** A refusal because the caller may not. */
export const forbidden = (message?: string): Failure =>
  refused({ kind: 'forbidden', ...(message === undefined ? {} : { message }) });

/** The meaning of a code: its status and the sentence for a person. */
export interface ErrorEntry {
  status: 400 | 401 | 403 | 404 | 405 | 408 | 409 | 412 | 413 | 415 | 429 | 431 | 503;
  message: string;
}
export type ErrorTable = Readonly<Record<string, ErrorEntry>>;

/** Thrown at the edge only, where a refusal has to leave a function that has no other way to answer. */
export class RefusalError extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(`refused: ${refusal.kind === 'code' ? refusal.code : refusal.kind}`);
    this.refusal = refusal;
  }
}

/** The value, or the refusal thrown: for edges and tests. */
export function orThrow<T>(result: Result<T>): T {
  if (!result.ok) throw new RefusalError(result.refusal);
  return result.value;
}
