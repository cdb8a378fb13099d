import type { FastifyRequest } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import type { Database, Tx } from '../db/index.ts';
import type { IdKind } from '../kernel/ids.ts';
import { type FieldError, mapped, ok, type Result } from '../kernel/result.ts';
import type { Instant } from '../kernel/time.ts';
import type { PartLimits } from './body.ts';
import type { Caller, Role } from './caller.ts';
import { ListOf, ListQuery, listReply, type PageRequest, pageOf } from './schema.ts';
import type { BucketName } from './sharing/rate-limit.ts';

/**
 * The policy of a route: its callers, and the rows that they see. A route without a policy does not compile. A path
 * with an id that the policy does not name stops the start.
 * - `public`: no key. - `caller`: the caller's own organization.
 * - `body`: a creation; the body's `merchantId`, by default the caller's organization; an operator must name one.
 * - `query`: a list; the query's `merchantId`, by default the caller's; an operator's without it covers all
 *   merchants. `ownerless`: the path's id has no entry among the owners (events are too many); the handler looks for it
 *   among the rows that the caller may see, so another merchant's is a 404 like an unknown one.
 * - `by`, of the two: fields that hold an id whose owner is the merchant. In a query it wins over `merchantId`; in a
 *   body a `merchantId` that differs is refused.
 * - `{ of }`: the owner of the resource that the path parameter names: unknown 404, another merchant's 403.
 */
export type Access =
  | { readonly public: true }
  | { readonly role: Role; readonly merchant: 'caller'; readonly operator?: true }
  | { readonly role: Role; readonly merchant: 'body'; readonly by?: readonly string[]; readonly operator?: true }
  | {
      readonly role: Role;
      readonly merchant: 'query';
      readonly by?: readonly string[];
      readonly operator?: true;
      readonly ownerless?: true;
    }
  | {
      readonly role: Role;
      readonly merchant: { readonly of: string; readonly kind: IdKind };
      readonly operator?: true;
    };

type StaticOf<S> = S extends TSchema ? Static<S> : Record<string, never>;
type MerchantOf<A extends Access> = A extends { merchant: 'query' }
  ? string | null
  : A extends { public: true }
    ? null
    : string;

/** A request as far as it is known before its body is read. */
export interface Arrival {
  readonly caller: Caller;
  readonly database: Database;
  readonly now: Instant;
  /** Of the body; null where it does not say. */
  readonly bytes: number | null;
}

/** The capacity that an admitted request occupies until its answer. */
export interface Place {
  /** Reports the size of the body, in the unit of the room. @returns false if it is too large */
  resize(parts: number): boolean;
  /** Gives it back, once. */
  leave(): void;
}

/** The input of a handler: the request's values, validated, and its only transaction. */
export interface Context<P, Q, B, A extends Access = Access> {
  readonly tx: Tx;
  /** Wall time of the request; effective now for records without a test clock. */
  readonly now: Instant;
  readonly caller: A extends { public: true } ? null : Caller;
  /** The merchant in scope; null where an operator's list covers all merchants. */
  readonly merchantId: MerchantOf<A>;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly request: FastifyRequest;
  /** Says what a resource was before the change, for the audit log; of a route with `saysBefore`. */
  readonly wasBefore: (resource: unknown) => void;
  /**
   * Aborted when the time of the request is over (20 seconds), or its connection has closed: nobody waits for the
   * answer any more. Long work asks it (`throwIfAborted`) and ends. The transaction of a GET starts no statement after
   * it. Never aborted where a route `endsByItself`.
   */
  readonly signal: AbortSignal;
}

/**
 * For the few operations that need several transactions or merchants of their own: no transaction, but the database.
 */
export interface FreeContext<P, Q, B, A extends Access = Access> extends Omit<Context<P, Q, B, A>, 'tx' | 'wasBefore'> {
  readonly database: Database;
  /** Writes the change to the audit log, in the transaction that makes it. */
  readonly audit: (tx: Tx, before: unknown, after: unknown) => Promise<void>;
  /** The answer of `admit`. */
  readonly place: Place | null;
  /**
   * Lets the merchant's next request begin, where the rest of this one is waiting. What still follows must be short.
   */
  readonly endSlot: () => void;
}

/** An answer with another status, headers or raw bytes than the usual. */
export class Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** The answer of a creation under a key: 201, or 200 with what an earlier request has created under it. */
export const createdReply = <Created extends { readonly isNew: boolean }>(
  created: Result<Created>,
  toReply: (created: Created) => unknown,
): Result<Reply> => mapped(created, (value) => new Reply(value.isNew ? 201 : 200, toReply(value)));

/** The committed facts before a call to a provider, as far as the answer uses them. */
export type Intent = Readonly<Record<string, string>>;

/** The answer of a handler that has committed an intent to call a provider (api.md, Idempotency). */
export class Intended {
  readonly intent: Intent;
  /** The answer as things stand before the provider is called. */
  readonly standing: unknown;
  constructor(intent: Intent, standing: unknown) {
    this.intent = intent;
    this.standing = standing;
  }
}

/** The way from `Intended` to the answer with the outcome. */
export interface Outcome {
  /**
   * Calls the provider, unless somebody else does, and waits until the outcome is stored. It is called outside every
   * transaction, and again by a request that takes over a claim. The signal is aborted after 10 seconds.
   */
  wait(of: { readonly merchantId: string; readonly intent: Intent }, signal: AbortSignal): Promise<void>;
  /** The answer as things stand now, whether or not the outcome is known. */
  answer(of: {
    readonly tx: Tx;
    readonly merchantId: string;
    readonly intent: Intent;
    readonly now: Instant;
  }): Promise<Result<unknown>>;
}

/** A body as it was sent. */
export interface RawBody {
  readonly bytes: Buffer;
  /** Without parameters, in small letters; empty where none was sent. */
  readonly contentType: string;
}

/** The page that tells a person of an error status. */
export type ErrorPage = (
  status: number,
  language?: string,
) => { text: string; headers: Readonly<Record<string, string>> };

type NamesIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** The parameters that a path names: `/v0/items/:id` has `id`. */
export type PathParams<Path extends string> = Readonly<Record<NamesIn<Path>, string>>;

interface RouteDeclaration<Path extends string, Q, B, A extends Access> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * With `:name` for path parameters, which are checked by the policy or the handler, not by a pattern (a malformed id
   * is a 404).
   */
  readonly path: Path;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: A;
  readonly query?: Q;
  /** Headers of the request that the handler reads, for the document. */
  readonly headers?: TSchema;
  readonly body?: B;
  /** Other forms of a JSON body, by their content types, for the document. */
  readonly bodyForms?: Readonly<Record<string, TSchema>>;
  /** The first is the usual one. */
  readonly replies: Readonly<Record<number, TSchema | { contentType: string; description: string }>>;
  /** Another form of the first reply, which the handler answers where the caller's `Accept` names it (`accepts`). */
  readonly otherForm?: { readonly contentType: string; readonly description: string };
  /** Statuses beside 400, 401, 403, 404, 429, 500 and 503 that this operation can answer. */
  readonly errors?: readonly number[];
  /** Bytes; default 256 KiB. */
  readonly bodyLimit?: number;
  /** Keys in the body at most; default 1,000. */
  readonly mostKeys?: number;
  /** The body is not parsed beforehand: the handler gets it as `JsonParts` and reads one part after another. */
  readonly bodyParts?: PartLimits;
  /** The body is a file of one of the `contentTypes`, and no JSON: the handler gets it as `RawBody`. */
  readonly bodyBytes?: true;
  /** Of such a file that is JSON: one that works when it is sent. */
  readonly bodyExample?: Readonly<Record<string, unknown>>;
  /**
   * `false`: nothing becomes due by it, so no worker is woken (which events, of which there are many, would do all the
   * time).
   */
  readonly makesDue?: false;
  /** No timer watches the handler, which would cost a tenth of a small request; it must end without one. */
  readonly endsByItself?: true;
  /**
   * The faults of a body that the handler would find. They are told with those of the schema, where it has found some:
   * so all are told at once. It reads any body.
   */
  readonly alsoChecked?: (body: unknown) => FieldError[];
  /** The handler holds the body against its schema itself, where that has to be done part by part. */
  readonly bodyChecked?: 'by the handler';
  /** Asks for room before the body is read: to read a body that will be refused costs the time of others. */
  readonly admit?: (arrival: Arrival) => Result<Place> | Promise<Result<Place>>;
  /** The rate limit of the organization that counts it; default `general`. */
  readonly rateLimit?: BucketName;
  /** `false`: the Idempotency-Key header is not for this POST (events have their own keys). */
  readonly idempotent?: false;
  /** The answer holds a secret that is shown once: kept for replays so that only the same API key can read it. */
  readonly secretReply?: true;
  /** `false`: calls are not written to the audit log. */
  readonly audited?: false;
  /** The handler says what its resource was (`wasBefore`), because it loads it; else its GET route is asked first. */
  readonly saysBefore?: true;
  /** Of a route that calls a provider: how its answer shows the outcome. Its handler may answer `Intended`. */
  readonly outcome?: Outcome;
  /**
   * A report, which only reads: a standby may answer it with data of some seconds ago, where there is one. Not for what
   * a caller reads right after a change.
   */
  readonly reads?: 'report';
  /** Not in the OpenAPI document: pages for people. */
  readonly hidden?: true;
  /** For pages: the page instead of a JSON error, also for unknown paths beside this one. */
  readonly errorPage?: ErrorPage;
  readonly contentTypes?: readonly string[];
}

/** A route whose handler works in one transaction, or (`free`) makes its own; with both, `free` answers. */
export interface Route {
  readonly declaration: RouteDeclaration<string, TSchema, TSchema, Access>;
  readonly handler?: (context: Context<never, never, never>) => Promise<Result<unknown>>;
  readonly free?: (context: FreeContext<never, never, never>) => Promise<Result<unknown>>;
}

type Handler<Path extends string, Q, B, A extends Access> = (
  context: Context<PathParams<Path>, StaticOf<Q>, StaticOf<B>, A>,
) => Promise<Result<unknown>>;
type FreeHandler<Path extends string, Q, B, A extends Access> = (
  context: FreeContext<PathParams<Path>, StaticOf<Q>, StaticOf<B>, A>,
) => Promise<Result<unknown>>;

/**
 * The handlers of a route. `handler` works in one transaction. `free` makes its own transactions. A read with both
 * answers by `free`, and the audit log of a change asks `handler` in the transaction of that change.
 */
type Handlers<Path extends string, Q, B, A extends Access> =
  | { readonly handler: Handler<Path, Q, B, A>; readonly free?: FreeHandler<Path, Q, B, A> }
  | { readonly handler?: Handler<Path, Q, B, A>; readonly free: FreeHandler<Path, Q, B, A> };

type SaidApart = 'method' | 'path' | 'operationId' | 'tag';
type RouteForm<Path extends string, Q, B, A extends Access> = Omit<RouteDeclaration<Path, Q, B, A>, SaidApart> &
  Handlers<Path, Q, B, A>;
/** A DELETE without `replies` answers 204. */
type DeleteForm<Path extends string, Q, B, A extends Access> = Omit<RouteForm<Path, Q, B, A>, 'replies'> &
  Partial<Pick<RouteDeclaration<Path, Q, B, A>, 'replies'>> &
  Handlers<Path, Q, B, A>;

/** A page of resources with the number of all, as an operation or a statement gives it. */
type Rows<Row> =
  | { readonly data: readonly Row[]; readonly total: number }
  | { readonly rows: readonly Row[]; readonly total: number };

/**
 * A list: its page comes from the query, by default without filters, and its reply is the list envelope around `of`.
 */
interface ListForm<Path extends string, Q, A extends Access, Row>
  extends Omit<RouteDeclaration<Path, Q, TSchema, A>, SaidApart | 'replies' | 'body'> {
  /** The reply of one resource. */
  readonly of: TSchema;
  /** Reads the page. */
  readonly list: (
    context: Context<PathParams<Path>, StaticOf<Q>, unknown, A> & { readonly page: PageRequest },
  ) => Promise<Rows<Row> | Result<Rows<Row>>>;
  /** The reply of a row. Default: the row itself. */
  readonly each?: (row: Row, context: Context<PathParams<Path>, StaticOf<Q>, unknown, A>) => unknown;
}

/**
 * The forms of the routes of one tag, by their methods: `api.get(path, operationId, declaration)`. A form holds its
 * handler: schema in, operation, schema out.
 */
export const routesOf = (tag: string) => {
  const by =
    (method: RouteDeclaration<string, TSchema, TSchema, Access>['method']) =>
    <A extends Access, Path extends string, Q extends TSchema, B extends TSchema>(
      path: Path,
      operationId: string,
      { handler, free, ...declared }: RouteForm<Path, Q, B, A>,
    ): Route => ({
      declaration: { method, path, operationId, tag, ...declared },
      ...(handler && { handler }),
      ...(free && { free }),
    });
  const get = by('GET');
  const remove = by('DELETE');
  return {
    get,
    post: by('POST'),
    put: by('PUT'),
    patch: by('PATCH'),
    delete: <A extends Access, Path extends string, Q extends TSchema, B extends TSchema>(
      path: Path,
      operationId: string,
      form: DeleteForm<Path, Q, B, A>,
    ): Route => remove<A, Path, Q, B>(path, operationId, { replies: { 204: Type.Null() }, ...form }),
    list: <A extends Access, Path extends string, Q extends TSchema, Row>(
      path: Path,
      operationId: string,
      { of, list, each, ...declared }: ListForm<Path, Q, A, Row>,
    ): Route =>
      get<A, Path, Q, TSchema>(path, operationId, {
        ...declared,
        query: declared.query ?? (ListQuery({}) as TSchema as Q),
        replies: { 200: ListOf(of) },
        handler: async (context) => {
          const page = pageOf(context.query as { limit?: number });
          const listed = await list({ ...context, page });
          if ('ok' in listed && !listed.ok) return listed;
          const found = 'ok' in listed ? listed.value : listed;
          const rows = 'rows' in found ? found.rows : found.data;
          const data = each ? rows.map((row) => each(row, context)) : [...rows];
          return ok(listReply({ data, total: found.total }, page));
        },
      }),
  };
};
