import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { lockResources, type Scope, type TransactionOptions, type Tx } from '../db/index.ts';
import { type FieldError, fail, invalid, orThrow, RefusalError, type Result } from '../kernel/result.ts';
import { checkExpected, Preconditions, tagged } from './answers/preconditions.ts';
import type { Caller } from './caller.ts';
import { authenticate, isBarred, secretOf } from './doors/doors.ts';
import { type MediaProblem, mediaProblem, type ServerOptions, send } from './edge.ts';
import { authenticationReply, type ErrorReplies, type ErrorReply, reply as errorReply } from './errors.ts';
import {
  claim,
  type IdempotencyScope,
  lockOf,
  noLock,
  type ReplyLock,
  type StoredReply,
  storeIntent,
  storeReply,
} from './idempotency.ts';
import { checkPolicy, Merchants } from './merchants.ts';
import { withAnswers } from './outside.ts';
import {
  type Access,
  type Context,
  Intended,
  type Intent,
  type Outcome,
  type RawBody,
  Reply,
  type Route,
} from './route.ts';
import { validate } from './validation.ts';

type Values = Record<string, unknown>;

const PRINTABLE_KEY = /^[\x20-\x7e]{1,255}$/;
const HANDLER_MILLISECONDS = 20_000;
const BODY_LIMIT = 256 * 1024;
/** How long an answer waits for the outcome of a call to a provider (api.md, Idempotency). */
const OUTCOME_MILLISECONDS = 10_000;
/** How often a request looks whether its twin has an answer from a provider, and how long it rests in between. */
const TWIN_LOOKS = 10;
const TWIN_MILLISECONDS = 200;
/** The signal of routes that end by themselves: a controller for each request would cost them more than it is worth. */
const NEVER_ABORTED = new AbortController().signal;

/** Is the route about single things? Lists and reports read many rows, and are planned for what they ask. */
const isByKeys = ({ method, query }: Route['declaration'], merchantId: string | null): boolean =>
  method !== 'GET' || (query === undefined && merchantId !== null);

/**
 * Turns a declared route into a handler: key, role, merchant, validation, one transaction, idempotency, audit, reply.
 */
export class Runner {
  readonly #options: ServerOptions;
  readonly #errors: ErrorReplies;
  readonly #merchants: Merchants;
  readonly #preconditions: Preconditions;
  /** Answers that somebody is told of already because their time was over; `sent` is true only at their last byte. */
  readonly #over = new WeakSet<FastifyReply>();

  constructor(options: ServerOptions, errors: ErrorReplies) {
    this.#options = options;
    this.#errors = errors;
    this.#merchants = new Merchants(options.database);
    this.#preconditions = new Preconditions(options.routes);
  }

  /** Adds a route to the server. @throws at boot where its policy does not name the resource in its path. */
  mount(app: FastifyInstance, each: Route): void {
    const { declaration } = each;
    checkPolicy(each);
    app.route({
      method: declaration.method,
      url: declaration.path,
      bodyLimit: declaration.bodyLimit ?? BODY_LIMIT,
      config: { errorPage: declaration.errorPage, replies: declaration.replies },
      onRequest: async (request, reply) => {
        if (!('public' in declaration.access)) {
          const found = await authenticate(request, this.#options);
          if ('code' in found)
            return send(
              reply,
              authenticationReply(this.#errors, found, request.headers.authorization, this.#options.environment),
            );
          request.caller = found.caller;
          const counted = await this.#options.rateLimiter?.take(
            found.caller.organizationId,
            declaration.rateLimit ?? 'general',
          );
          if (counted) reply.headers(counted.headers);
          if (counted?.isAllowed === false) {
            const refused = this.#errors.for({ kind: 'code', code: 'RATE_LIMITED' });
            return send(reply, { ...refused, headers: { ...refused.headers, ...counted.headers } });
          }
        } else if (isBarred(request, declaration.path)) {
          return send(reply, this.#errors.for({ kind: 'not_found', what: 'path' }));
        } else if (declaration.errorPage) {
          const seconds = this.#options.pagePlaces?.count(request.ip) ?? null;
          if (seconds !== null) {
            const refused = this.#errors.for({ kind: 'code', code: 'RATE_LIMITED' });
            return send(reply, { ...refused, headers: { ...refused.headers, 'retry-after': String(seconds) } });
          }
        }
        const found = mediaProblem(request.method, request.headers, declaration.contentTypes);
        const problem = declaration.bodyBytes && !found?.isEncoding ? null : found; // of a file the handler looks
        if (problem) return send(reply, this.#unsupported(problem));
        if (declaration.admit && request.caller) return this.#admit(each, request.caller, request, reply);
      },
      handler:
        declaration.endsByItself === true
          ? (request, reply) => this.#untimed(each, request, reply)
          : (request, reply) => this.#inTime(each, request, reply),
    });
  }

  #unsupported({ message, isEncoding }: MediaProblem): ErrorReply {
    const refusal = {
      kind: 'code',
      code: 'UNSUPPORTED_MEDIA_TYPE',
      ...(message !== undefined && { message }),
    } as const;
    const refused = this.#errors.for(refusal);
    return isEncoding ? { ...refused, headers: { ...refused.headers, 'accept-encoding': 'identity' } } : refused;
  }

  /**
   * Runs a handler that ends by itself. The framework gets no promise: for one it would listen to the end of each
   * answer.
   */
  #untimed(each: Route, request: FastifyRequest, reply: FastifyReply): void {
    this.#handle(each, request, reply, NEVER_ABORTED)
      .catch((error: unknown) => {
        if (reply.sent) request.log.error({ err: error }, 'a request failed after its answer');
        else reply.send(error);
      })
      .finally(() => request.slot?.end());
  }

  /**
   * Runs the handler and tells it when nobody waits for its answer any more: its time is over, or the connection has
   * closed. The framework's own time limit and signal end as soon as a body has been read, so they serve requests
   * without one only.
   */
  async #inTime(each: Route, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const controller = new AbortController();
    const { promise: over, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      const tooLong = new RefusalError({ kind: 'code', code: 'TOOK_TOO_LONG' });
      this.#over.add(reply);
      reject(tooLong);
      controller.abort(tooLong);
    }, this.#options.handlerMilliseconds ?? HANDLER_MILLISECONDS);
    const leave = () => {
      const gone = new Error('The caller has gone.');
      reject(gone);
      controller.abort(gone);
    };
    reply.raw.once('close', leave);
    // an answer that is awaited is awaited until its last byte
    const work = this.#handle(each, request, reply, controller.signal)
      .then(() => reply)
      .finally(() => {
        clearTimeout(timer);
        reply.raw.off('close', leave);
        request.slot?.end();
      });
    try {
      await Promise.race([work, over]);
    } catch (error) {
      if (error !== controller.signal.reason || error instanceof RefusalError) throw error;
      reply.hijack(); // nobody is there to be answered
      request.log.info({ operation: each.declaration.operationId }, 'a request was given up');
    }
  }

  /**
   * Refuses a request for whose body there is no room; a body above its own limit is refused as that by whoever reads
   * it.
   */
  async #admit(
    { declaration }: Route,
    caller: Caller,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> {
    const length = request.headers['content-length'];
    const bytes = length === undefined ? null : Math.min(Number(length), declaration.bodyLimit ?? BODY_LIMIT);
    const { database } = this.#options;
    const admitted = await declaration.admit?.({ caller, database, bytes, now: this.#options.now() });
    if (admitted === undefined) return;
    if (!admitted.ok) return send(reply, this.#errors.for(admitted.refusal));
    request.place = admitted.value;
    if (reply.raw.destroyed)
      admitted.value.leave(); // who went away while there was no room
    else reply.raw.once('close', () => request.place?.leave()); // where the handler did not come to it
    return;
  }

  /**
   * Waits until the merchant may have one more request in work. Pages have places of their own. @throws the refusal
   * where too many wait
   */
  async #takeSlot(request: FastifyRequest, merchantId: string, signal: AbortSignal): Promise<void> {
    const { slots } = this.#options;
    if (!slots || request.slot) return;
    const slot = await slots.take(merchantId, signal);
    request.slot = slot ?? orThrow<never>(fail('TOO_MANY_AT_ONCE'));
  }

  /** Waits for the place of a page. @throws the refusal where too many wait */
  async #takePagePlace(request: FastifyRequest, signal: AbortSignal): Promise<void> {
    const { pagePlaces } = this.#options;
    if (!pagePlaces) return;
    const { id, merchantId } = request.params as { readonly id?: string; readonly merchantId?: string };
    const slot = await pagePlaces.take(id ?? merchantId, request.ip, signal);
    request.slot = slot ?? orThrow<never>(fail('TOO_MANY_AT_ONCE'));
  }

  /** Returns when the answer is given to the framework, which may send it later. */
  async #handle(each: Route, request: FastifyRequest, reply: FastifyReply, signal: AbortSignal): Promise<void> {
    const { declaration } = each;
    const caller = request.caller;
    if (declaration.errorPage) await this.#takePagePlace(request, signal);
    const needsSlot = caller && !declaration.admit; // events have an admission of their own
    if (needsSlot && !caller.isOperator) await this.#takeSlot(request, caller.organizationId, signal);
    const early =
      'public' in declaration.access
        ? null
        : await this.#merchants.ofPath(declaration.access, caller as Caller, request);
    if (declaration.bodyBytes && !isFileOf(request.body, declaration.contentTypes)) {
      send(reply, unsupportedFile(declaration.contentTypes));
      return;
    }
    checkParameters(request);
    const query = { ...(request.query as Values) };
    const body = declaration.body && request.body === undefined ? {} : request.body;
    this.#validate(each, query, body);
    const expected = orThrow(this.#preconditions.expectedOf(each, request.headers['if-match']));
    const merchantId =
      'public' in declaration.access
        ? null
        : (early ?? (await this.#merchants.ofValues(declaration.access, caller as Caller, query, body as Values)));
    // an operator counts as whom it names
    if (needsSlot) await this.#takeSlot(request, merchantId ?? caller.organizationId, signal);

    const context = {
      now: this.#options.now(),
      caller,
      merchantId,
      request,
      query,
      body: body ?? {},
      params: request.params as Record<string, string>,
      signal,
    };
    if (each.free) {
      const audit = (tx: Tx, before: unknown, after: unknown) =>
        this.#audit(each, tx, request, merchantId, before, after);
      const { place } = request;
      request.place = null; // a caller who goes away does not take the work along
      const free = {
        ...context,
        database: this.#options.database,
        audit,
        place,
        endSlot: () => request.slot?.end(),
      };
      try {
        this.#answer(each, reply, orThrow(await each.free(free as never)));
      } finally {
        place?.leave();
      }
      return;
    }
    const scope = scopeOf(declaration.access, merchantId);
    const key = this.#idempotency(each, request, merchantId ?? caller?.organizationId ?? '');
    if (key === null) {
      const work = async (tx: Tx) => {
        const before = await this.#before(each, { ...context, tx }, expected);
        const done = orThrow(await handle(each, { ...context, tx, wasBefore: before.say }));
        await this.#audit(each, tx, request, merchantId, before.resource, done);
        return done;
      };
      // A write goes on without its caller, who may only have lost the connection.
      const signal = declaration.method === 'GET' ? { signal: context.signal } : {};
      const options = { ...signal, ...(isByKeys(declaration, merchantId) && { byKeys: 'one thing' as const }) };
      const value = await withAnswers(() =>
        declaration.reads === 'report'
          ? this.#report(request, reply, scope, work, options)
          : this.#options.database.transaction(scope, work, options),
      );
      if (!(value instanceof Intended)) {
        this.#answer(each, reply, value);
        return;
      }
      const answer = await this.#outcome(each, request, scope, context, value.intent);
      this.#answer(each, reply, await answer(async (_, result) => orThrow(result)));
      return;
    }
    await this.#once(each, request, reply, scope, key, context);
  }

  /** A report, from the standby if there is one. `Cache-Control: no-cache` asks for the data of now. */
  async #report<T>(
    request: FastifyRequest,
    reply: FastifyReply,
    scope: Scope,
    work: (tx: Tx) => Promise<T>,
    options: TransactionOptions,
  ): Promise<T> {
    const { reports, database } = this.#options;
    if (!reports || request.headers['cache-control']?.includes('no-cache'))
      return database.transaction(scope, work, { ...options, isReadOnly: true });
    const { value, age } = await reports.transaction(scope, work, options);
    if (age !== null) reply.header('reckoner-data-age', String(Math.ceil(age / 1_000)));
    return value;
  }

  /** The road of a POST with an Idempotency-Key: claim, effect and answer in one transaction. */
  async #once(
    each: Route,
    request: FastifyRequest,
    reply: FastifyReply,
    scope: Scope,
    key: IdempotencyScope,
    context: HandlerContext,
  ): Promise<FastifyReply> {
    const lock = each.declaration.secretReply ? lockOf(secretOf(request, this.#options)) : noLock;
    const fingerprint = lock.fingerprint(request.url, context.body);
    const claimed = await this.#unlessWaiting(() =>
      withAnswers(() =>
        this.#options.database.transaction(
          scope,
          (tx) => this.#claimed(each, request, tx, { key, lock, fingerprint }, context),
          { byKeys: 'one thing' },
        ),
      ),
    );
    const done =
      claimed.kind === 'done' ? claimed : await this.#answerLater(each, request, scope, key, context, claimed);
    if (reply.sent || this.#over.has(reply)) return reply;
    if (done.isReplayed) reply.header('idempotent-replayed', 'true');
    return reply.code(done.status).headers(done.headers).type('application/json; charset=utf-8').send(done.body);
  }

  /** The claim, and where it is ours the effect and the answer, or the intent. */
  async #claimed(
    each: Route,
    request: FastifyRequest,
    tx: Tx,
    { key, lock, fingerprint }: { key: IdempotencyScope; lock: ReplyLock; fingerprint: Buffer },
    context: HandlerContext,
  ): Promise<Claimed> {
    const now = this.#options.now();
    const found = orThrow(await claim(tx, key, fingerprint, now));
    if (found.kind === 'waiting') return { kind: 'waiting' };
    if (found.kind === 'abandoned') return { kind: 'intended', intent: found.intent };
    if (found.kind === 'answered')
      return {
        kind: 'done',
        status: found.reply.status,
        body: lock.open(found.reply.body),
        headers: {},
        isReplayed: true,
      };
    const before = await this.#before(each, { ...context, tx });
    const result = await tx.savepoint<Result<unknown>>(
      () => withRefusals(handle(each, { ...context, tx, wasBefore: before.say })),
      ({ ok }) => ok,
    );
    if (!result.ok && result.refusal.kind === 'forbidden') orThrow(result);
    if (result.ok) await this.#audit(each, tx, request, context.merchantId, before.resource, result.value);
    if (result.ok && result.value instanceof Intended) {
      const { intent } = result.value;
      await storeIntent(tx, key, intent, now);
      return { kind: 'intended', intent };
    }
    const { headers, ...text } = this.#textOf(each, result);
    await storeReply(tx, key, { ...text, body: lock.close(text.body) });
    return { kind: 'done', ...text, headers, isReplayed: false };
  }

  /** Looks for a while whether a twin that waits for a provider has its answer. @throws IDEMPOTENCY_IN_PROGRESS */
  async #unlessWaiting(look: () => Promise<Claimed>): Promise<Exclude<Claimed, { kind: 'waiting' }>> {
    for (let looks = 1; ; looks += 1) {
      const claimed = await look();
      if (claimed.kind !== 'waiting') return claimed;
      if (looks === TWIN_LOOKS) return orThrow<never>(fail('IDEMPOTENCY_IN_PROGRESS'));
      await sleep(TWIN_MILLISECONDS);
    }
  }

  /** The answer that shows the outcome, kept for replays. */
  async #answerLater(
    each: Route,
    request: FastifyRequest,
    scope: Scope,
    key: IdempotencyScope,
    context: HandlerContext,
    { intent }: { readonly intent: Intent },
  ): Promise<Answered> {
    const answer = await this.#outcome(each, request, scope, context, intent);
    return answer(async (tx, result) => {
      const { headers, ...text } = this.#textOf(each, result);
      return { ...(await storeReply(tx, key, text)), headers, isReplayed: false };
    });
  }

  /**
   * Waits for the outcome of what a handler has intended, at most 10 seconds, without a transaction and without a slot.
   * @returns a function that makes the answer, and what its caller does with it, in one transaction
   */
  async #outcome(
    { declaration }: Route,
    request: FastifyRequest,
    scope: Scope,
    context: HandlerContext,
    intent: Intent,
  ): Promise<<T>(use: (tx: Tx, result: Result<unknown>) => Promise<T>) => Promise<T>> {
    const { outcome } = declaration;
    if (!outcome) throw new Error(`${declaration.operationId} calls a provider and declares no outcome.`);
    const { database, now } = this.#options;
    const of = { merchantId: context.merchantId as string, intent };
    request.slot?.end();
    await waitFor(outcome, of, this.#options.outcomeMilliseconds ?? OUTCOME_MILLISECONDS).catch((error: unknown) =>
      request.log.warn({ err: error, operation: declaration.operationId }, 'an outcome could not be waited for'),
    );
    return (use) =>
      database.transaction(
        scope,
        async (tx) => use(tx, await withRefusals(outcome.answer({ tx, ...of, now: now() }))),
        { byKeys: 'one thing' },
      );
  }

  /** What is sent of a result, and kept for replays. */
  #textOf(each: Route, result: Result<unknown>): StoredReply & { headers: Readonly<Record<string, string>> } {
    const { status, headers, body } = result.ok ? usualReply(each, result.value) : this.#errors.for(result.refusal);
    const text = body === undefined ? '' : JSON.stringify(body);
    if (result.ok && body !== undefined && this.#options.checkReplies) checkReply(each, status, text);
    return { status, headers, body: text };
  }

  /** Every failing field of query and body, at once. */
  #validate({ declaration }: Route, query: Values, body: unknown): void {
    const errors: FieldError[] = [];
    if (declaration.bodyBytes && body === undefined) errors.push({ field: 'body', message: 'must be a file' });
    // before the default of offset is filled in
    if (query.after !== undefined && query.offset !== undefined)
      errors.push({ field: 'offset', message: 'must not be sent with after' });
    errors.push(...validate('query', declaration.query ?? NOTHING, query));
    if (declaration.body) {
      const part = declaration.method === 'PATCH' ? 'change' : 'body';
      if (declaration.bodyChecked !== 'by the handler') errors.push(...validate(part, declaration.body, body));
      if (errors.length > 0) errors.push(...(declaration.alsoChecked?.(body) ?? []));
    } else if (!declaration.bodyBytes && body !== undefined && body !== null && Object.keys(body).length > 0)
      errors.push(...validate('body', NOTHING, body));
    if (errors.length > 0) orThrow(invalid(errors));
  }

  #idempotency({ declaration }: Route, request: FastifyRequest, merchantId: string): IdempotencyScope | null {
    const key = request.headers['idempotency-key'];
    if (declaration.method !== 'POST' || declaration.idempotent === false || key === undefined) return null;
    if (typeof key !== 'string' || !PRINTABLE_KEY.test(key))
      return orThrow<never>(
        invalid([{ field: 'Idempotency-Key', message: 'must be 1 to 255 printable ASCII characters' }]),
      );
    return { merchantId, route: `${declaration.method} ${declaration.path}`, key };
  }

  /**
   * The resource before a change: as its own GET shows it, or as the handler will say; null for creations.
   * @param expected the tags of If-Match: then the resource is locked before it is read and compared with them
   */
  async #before(
    each: Route,
    context: HandlerContext & { readonly tx: Tx },
    expected: readonly string[] | null = null,
  ): Promise<Before> {
    const before = new Before();
    if (each.declaration.saysBefore && expected === null) return before;
    if (expected !== null) await lockResources(context.tx, Object.values(context.params as Record<string, string>));
    const shown = await this.#shownBefore(each, context);
    if (expected !== null && shown !== null) orThrow(checkExpected(expected, shown as object));
    if (!each.declaration.saysBefore) before.say(shown);
    return before;
  }

  async #shownBefore({ declaration }: Route, context: HandlerContext & { readonly tx: Tx }): Promise<unknown> {
    if (declaration.method === 'GET' || declaration.audited === false || 'public' in declaration.access) return null;
    const reader = this.#preconditions.readerOf(declaration);
    if (!reader?.handler) return null;
    const query = {};
    validate('query', reader.declaration.query ?? NOTHING, query);
    const found = await reader.handler({ ...context, query } as never);
    return found.ok ? plainBody(found.value) : null;
  }

  async #audit(
    each: Route,
    tx: Tx,
    request: FastifyRequest,
    merchantId: string | null,
    before: unknown,
    value: unknown,
  ): Promise<void> {
    const { declaration } = each;
    if (declaration.method === 'GET' || declaration.audited === false || !request.caller || merchantId === null) return;
    const after = plainBody(value);
    const params = Object.values(request.params as Record<string, string>);
    await this.#options.audit(tx, {
      merchantId,
      caller: request.caller,
      operation: declaration.operationId,
      requestId: request.id,
      at: this.#options.now(),
      before,
      after,
      resourceId: idOf(after) ?? params.at(-1) ?? null,
    });
  }

  #answer(each: Route, reply: FastifyReply, value: unknown): FastifyReply {
    if (reply.sent || this.#over.has(reply)) return reply;
    const { status, headers, body } = usualReply(each, value);
    reply.code(status).headers(headers);
    if (body === undefined) return reply.send();
    if (body instanceof Uint8Array || typeof body === 'string') return reply.send(body);
    const { text, tag } = this.#preconditions.hasTag(each.declaration)
      ? tagged(body as object)
      : { text: JSON.stringify(body), tag: undefined };
    if (tag !== undefined) reply.header('etag', tag);
    if (this.#options.checkReplies) checkReply(each, status, text);
    return reply.type('application/json; charset=utf-8').send(text);
  }
}

/** What a handler gets beside its transaction. */
type HandlerContext = Omit<Context<unknown, unknown, unknown>, 'tx' | 'wasBefore'>;

/** What a resource was before a change. */
class Before {
  resource: unknown = null;
  readonly say = (resource: unknown): void => {
    this.resource = resource;
  };
}

const handle = (each: Route, context: Context<unknown, unknown, unknown>): Promise<Result<unknown>> =>
  (each.handler as NonNullable<Route['handler']>)(context as never);

/** An answer as it is sent. */
interface Answered extends StoredReply {
  readonly headers: Readonly<Record<string, string>>;
  readonly isReplayed: boolean;
}

/** What a request with a key has come to. `waiting`: a twin waits for a provider. `intended`: this one has to. */
type Claimed =
  | ({ readonly kind: 'done' } & Answered)
  | { readonly kind: 'intended'; readonly intent: Intent }
  | { readonly kind: 'waiting' };

/** Waits for an outcome until the time is over. What goes on then, goes on without us. */
async function waitFor(outcome: Outcome, of: Parameters<Outcome['wait']>[0], milliseconds: number): Promise<void> {
  const patience = new AbortController();
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    patience.abort();
    resolve();
  }, milliseconds);
  try {
    await Promise.race([outcome.wait(of, patience.signal), over]);
  } finally {
    clearTimeout(timer);
    patience.abort();
  }
}

/** A refusal that a handler threw, as the value that it is. */
const withRefusals = (result: Promise<Result<unknown>>): Promise<Result<unknown>> =>
  result.catch((error: unknown) => {
    if (error instanceof RefusalError) return { ok: false, refusal: error.refusal };
    throw error;
  });

const NOTHING = { type: 'object', additionalProperties: false } as TSchema;

function scopeOf(access: Access, merchantId: string | null): Scope {
  if (merchantId !== null) return { merchants: [merchantId] };
  return 'public' in access ? 'nobody' : 'every merchant, reading';
}

/** PostgreSQL holds no NUL, so no id has one. @throws the 404 of a path id that names nothing. */
function checkParameters(request: FastifyRequest): void {
  const isImpossible = Object.values(request.params as Record<string, string>).some((value) => value.includes('\0'));
  if (isImpossible) orThrow({ ok: false, refusal: { kind: 'not_found', what: 'resource' } });
}

function usualReply(
  { declaration }: Route,
  value: unknown,
): { status: number; headers: Readonly<Record<string, string>>; body: unknown } {
  if (value instanceof Reply) return value;
  const status = Number(Object.keys(declaration.replies)[0]);
  return { status, headers: {}, body: status === 204 ? undefined : value };
}

function plainBody(value: unknown): unknown {
  if (value instanceof Intended) return plainBody(value.standing);
  const body = value instanceof Reply ? value.body : value;
  return body instanceof Uint8Array ? null : (body ?? null);
}

const idOf = (value: unknown): string | null =>
  typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string' ? value.id : null;

function checkReply(each: Route, status: number, text: string): void {
  const schema = each.declaration.replies[status];
  if (!schema || 'contentType' in schema)
    throw new Error(`${each.declaration.operationId} answered ${status}, which it does not declare.`);
  const errors = validate('reply', schema, JSON.parse(text));
  if (errors.length > 0)
    throw new Error(
      `${each.declaration.operationId} answered what its schema does not allow: ${JSON.stringify(errors)}`,
    );
}

/** Is a body of one of some types? That there is none is told with the other faults. */
const isFileOf = (body: unknown, types: readonly string[] = []): boolean =>
  body === undefined || types.includes((body as RawBody).contentType);

const unsupportedFile = (types: readonly string[] = []) =>
  errorReply(415, `Send a file with Content-Type: ${types.join(' or ')}.`, { code: 'UNSUPPORTED_MEDIA_TYPE' });
