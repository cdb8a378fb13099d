import { Socket } from 'node:net';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { CLOCK_BEHIND, DatabaseFull, isAway, sqlState } from '../db/index.ts';
import { isIdAs, isKind, wrongKindWords } from '../kernel/ids.ts';
import { type Refusal, RefusalError } from '../kernel/result.ts';
import { encode } from './answers/encoding.ts';
import { BodyError, readJsonBody, readJsonParts, readText } from './body.ts';
import { compactText } from './compact.ts';
import { authenticate, doorOf, enter } from './doors/doors.ts';
import { JSON_SUFFIX, JSON_SUFFIX_TYPE, type ServerOptions, send, sendPage } from './edge.ts';
import {
  answerParserError,
  authenticationReply,
  ErrorReplies,
  type ErrorReply,
  reply as errorReply,
  newRequestId,
} from './errors.ts';
import { addOpenApi, guardReference } from './openapi.ts';
import type { ErrorPage, RawBody, Route } from './route.ts';
import { Runner } from './runner.ts';

const BODY_LIMIT = 256 * 1024;
/** How often the limits on slow headers and bodies are held against connections; Node's default is every 30 seconds. */
const CHECKING_MILLISECONDS = 2_000;
/** Connections at the same time; further ones are closed at once. */
const MOST_CONNECTIONS = 8_192;
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** Builds the HTTP server from the routes of all domains. It does not listen yet. */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: options.logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }), // one line of our own for each request, below
    bodyLimit: BODY_LIMIT,
    trustProxy: options.trustedProxies?.length ? [...options.trustedProxies] : false,
    // a missing Host is refused below: Node would answer it without a body
    http: { headersTimeout: 10_000, connectionsCheckingInterval: CHECKING_MILLISECONDS, requireHostHeader: false },
    clientErrorHandler: (error, socket) => answerParserError(errors, error, socket),
    requestTimeout: 15_000,
    keepAliveTimeout: 72_000,
    connectionTimeout: 0,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 512 },
    rewriteUrl: (raw) => enter(raw, options.console !== undefined),
    frameworkErrors: (_error, request, reply) => {
      reply.header('x-request-id', request.id); // no hook runs for a path that cannot be decoded
      void answerUnknown(request as FastifyRequest, reply as FastifyReply).catch((error: unknown) =>
        send(reply as FastifyReply, faultReply(error, errors, request as FastifyRequest)),
      );
    },
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : newRequestId();
    },
  });
  app.server.maxConnections = MOST_CONNECTIONS;
  const errors = new ErrorReplies(options.errorTables);
  const runner = new Runner(options, errors);
  const quiet = new Set(
    options.routes
      .filter(({ declaration }) => declaration.makesDue === false)
      .map(({ declaration }) => `${declaration.method} ${declaration.path}`),
  );

  const errorPages = pagesOf(options.routes);
  const answerUnknown = async (request: FastifyRequest, reply: FastifyReply) => {
    const page = errorPages.get(request.url.split(/[/?]/)[1] ?? '');
    if (page) return sendPage(reply, page, 404);
    const found = await authenticate(request, options);
    if ('code' in found)
      return send(reply, authenticationReply(errors, found, request.headers.authorization, options.environment));
    const allowed = methodsOf(options.routes, request.url);
    // A method that the path takes came here because the id in it is too long to be one: that is no such resource.
    if (allowed.length > 0 && !allowed.includes(request.method)) {
      const refused = errors.for({ kind: 'code', code: 'METHOD_NOT_ALLOWED', details: { allow: allowed } });
      return send(reply, { ...refused, headers: { ...refused.headers, allow: allowed.join(', ') } });
    }
    return send(reply, errorReply(404, `${request.method} ${request.originalUrl.split('?')[0]} does not exist.`));
  };

  app.setValidatorCompiler(() => () => true); // Runner validates, all parts at once; fastify only routes
  app.setSerializerCompiler(() => JSON.stringify); // exact numbers survive
  app.decorateRequest('caller', null);
  app.decorateRequest('place', null);
  app.decorateRequest('slot', null);
  acceptBodies(app, options.routes);

  // Hooks that call back: a promise for each of them would cost every request more than what they do.
  const noticeProxy = proxyNotice();
  const { tracer } = options;
  if (tracer) {
    app.addHook('onRequest', (request, _reply, done) => {
      const { traceparent } = request.headers;
      tracer.begin(request, typeof traceparent === 'string' ? traceparent : undefined, done);
    });
    app.addHook('preValidation', (request, _reply, done) => tracer.resume(request, done));
  }
  app.addHook('onRequest', (request, reply, done) => {
    noticeProxy(request);
    reply
      .header('x-request-id', request.id)
      .header('cache-control', 'no-store')
      .header('x-content-type-options', 'nosniff');
    if (request.raw.httpVersion === '1.1' && request.headers.host === undefined) {
      send(reply, errors.for({ kind: 'code', code: 'MALFORMED_REQUEST' }));
      return;
    }
    const refusal = doorOf(request) === 'console' ? options.console?.guard(request) : null;
    if (refusal) {
      send(reply, errors.for(refusal));
      return;
    }
    if (request.is404) return answerUnknown(request, reply); // before its body is read
    done();
    return;
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.is404 ? 'none' : (request.routeOptions.url ?? 'none');
    const seconds = reply.elapsedTime / 1000;
    options.metrics?.request(request.method, route, reply.statusCode, seconds);
    tracer?.end(request, {
      ...{ method: request.method, route, status: reply.statusCode, seconds },
      requestId: request.id,
    });
    if (request.method !== 'GET' && reply.statusCode < 400 && !quiet.has(`${request.method} ${route}`))
      options.onChange?.();
    // the demo calls from within, without a socket
    const level = request.raw.socket instanceof Socket ? 'info' : 'debug';
    request.log[level](
      {
        method: request.method,
        url: request.originalUrl.split('?')[0],
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime * 10) / 10,
        merchantId: request.caller?.organizationId,
      },
      'request',
    );
    done();
  });
  guardReference(app, options.baseUrl); // before anything is compressed
  app.addHook('onSend', (request, reply, payload, done) => {
    const isJson = String(reply.getHeader('content-type') ?? '').startsWith('application/json');
    const isCompact = doorOf(request) === 'compact';
    const schema = isCompact && isJson ? request.routeOptions.config?.replies?.[reply.statusCode] : undefined;
    const isShown = schema !== undefined && typeof payload === 'string' && payload !== '';
    const encoded = encode(request, reply, isShown ? compactText(schema, payload) : payload);
    if (encoded instanceof Promise) return encoded;
    done(null, encoded);
    return;
  });
  app.setErrorHandler(async (error, request, reply) => send(reply, faultReply(error, errors, request)));
  app.setNotFoundHandler(async (request, reply) => answerUnknown(request, reply));

  addOpenApi(app, options);
  for (const each of options.routes) runner.mount(app, each);
  return app;
}

/** Says once that a proxy is in front which was not named: all its callers count as one, or as nobody. */
function proxyNotice(): (request: FastifyRequest) => void {
  let isSaid = false;
  return ({ headers, ips, ip, log }) => {
    if (isSaid || headers['x-forwarded-for'] === undefined || (ips?.length ?? 1) > 1) return;
    isSaid = true;
    log.warn({ address: ip }, 'X-Forwarded-For is not believed: name this address in TRUSTED_PROXIES if it is a proxy');
  };
}

/** The error pages by the first word of the paths below which there are pages for people: `pay`. */
const pagesOf = (routes: readonly Route[]): ReadonlyMap<string, ErrorPage> =>
  new Map(
    routes.flatMap(({ declaration: { path, errorPage } }) =>
      errorPage ? [[path.split('/')[1] as string, errorPage]] : [],
    ),
  );

/** The methods that a path takes, for `Allow`; none where there is no such path. */
function methodsOf(routes: readonly Route[], url: string): string[] {
  const segments = (url.split('?')[0] as string).split('/');
  const found = routes.filter(({ declaration }) => {
    const wanted = declaration.path.split('/');
    return (
      wanted.length === segments.length &&
      wanted.every((part, index) => (part.startsWith(':') ? segments[index] !== '' : part === segments[index]))
    );
  });
  const methods = new Set<string>(found.map(({ declaration }) => declaration.method));
  return [...(methods.has('GET') ? [...methods, 'HEAD'] : methods)].toSorted();
}

/**
 * Only exact JSON, UTF-8, unless a route declares more; odd spellings of a content type have let bodies pass unchecked.
 */
function acceptBodies(app: FastifyInstance, routes: readonly Route[]): void {
  app.removeAllContentTypeParsers();
  const declarations = new Map(
    routes.map(({ declaration }) => [`${declaration.method} ${declaration.path}`, declaration]),
  );
  const types = new Set(['application/json', ...routes.flatMap(({ declaration }) => declaration.contentTypes ?? [])]);
  for (const type of types) {
    app.addContentTypeParser(
      type === JSON_SUFFIX ? JSON_SUFFIX_TYPE : type,
      { parseAs: 'buffer' },
      async (request: FastifyRequest, bytes: string | Buffer) => {
        const declaration = declarations.get(`${request.method} ${request.routeOptions.url}`);
        if (declaration?.bodyBytes) return { bytes, contentType: type } as RawBody;
        const body = readText(bytes as Buffer);
        if (type === 'application/x-www-form-urlencoded') return Object.fromEntries(new URLSearchParams(body));
        return declaration?.bodyParts
          ? readJsonParts(body, declaration.bodyParts)
          : readJsonBody(body, declaration?.mostKeys);
      },
    );
  }
}

/**
 * The reply to anything that was thrown: refusals, fastify's own errors, an unreachable database, and faults of ours.
 */
function faultReply(error: unknown, errors: ErrorReplies, request: FastifyRequest): ErrorReply {
  try {
    return knownReply(error, errors, request) ?? internalReply(error, request);
  } catch (fault) {
    return internalReply(fault, request); // a code that no table lists
  }
}

function internalReply(error: unknown, request: FastifyRequest): ErrorReply {
  request.log.error({ err: error }, 'a request failed');
  return errorReply(500, 'Something went wrong on our side. With the same idempotency key it is safe to try again.', {
    details: { requestId: request.id },
  });
}

function knownReply(error: unknown, errors: ErrorReplies, request: FastifyRequest): ErrorReply | null {
  if (error instanceof RefusalError) return errors.for(explained(error.refusal, request));
  if (error instanceof BodyError) return errorReply(400, error.message, { code: 'MALFORMED_BODY' });
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return errors.for({ kind: 'code', code: 'PAYLOAD_TOO_LARGE' });
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return errors.for({ kind: 'code', code: 'UNSUPPORTED_MEDIA_TYPE' });
  if (code.startsWith('FST_ERR_CTP_') || code === 'FST_ERR_BAD_URL')
    return errors.for({ kind: 'code', code: 'MALFORMED_BODY' });
  if (UNSTORABLE_STATES.has(sqlState(error))) {
    request.log.error({ err: error }, 'a value that cannot be stored passed the schemas');
    return errors.for({ kind: 'code', code: 'INVALID_VALUE' });
  }
  if (error instanceof DatabaseFull) {
    request.log.error({ err: error }, 'the disk of the database is full');
    return errors.for({ kind: 'code', code: 'DATABASE_FULL' });
  }
  if (sqlState(error) === CLOCK_BEHIND) {
    request.log.error({ err: error }, 'the clock of this machine is before the day of the last document');
    return errors.for({ kind: 'code', code: 'CLOCK_BEHIND' });
  }
  if (isUnavailable(error)) {
    request.log.warn({ err: error }, 'the database is not available');
    return errors.for({ kind: 'code', code: 'DATABASE_UNAVAILABLE' });
  }
  return null;
}

/**
 * A 404 of a path in which an id is of another kind than its place says so: `…/refunds/{refundId}` with an invoice's.
 */
function explained(refusal: Refusal, request: FastifyRequest): Refusal {
  if (refusal.kind !== 'not_found' || refusal.field !== undefined || refusal.message !== undefined) return refusal;
  for (const [name, id] of Object.entries(request.params as Record<string, string>)) {
    const kind = name.replace(/Id$/, '');
    const words = isKind(kind) && !isIdAs(kind, id) ? wrongKindWords(kind, id) : null;
    if (words !== null) return { ...refusal, message: `${words}.` };
  }
  return refusal;
}

/**
 * A character, a text or a JSON text that PostgreSQL cannot hold: the caller's mistake, and ours that nothing saw it
 * before.
 */
const UNSTORABLE_STATES = new Set(['22021', '22P02', '22P05']);
const BUSY_STATES = /^(?:53|55P03|57014)/; // resources, lock and statement timeouts
const NO_CONNECTION_FREE = 'timeout exceeded when trying to connect';

const isUnavailable = (error: unknown): boolean =>
  isAway(error) ||
  BUSY_STATES.test(sqlState(error)) ||
  (error instanceof Error && error.message === NO_CONNECTION_FREE);
