import type { Tx } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import { secretBytes } from '../kernel/chance.ts';
import { newId } from '../kernel/ids.ts';
import { fail, invalidField, notFound, ok, type Result } from '../kernel/result.ts';
import { placeOf, type Sealer } from '../kernel/sealing.ts';
import { formatInstant, type Instant } from '../kernel/time.ts';
import { decideStanding, type Endpoint, MOST_ENDPOINTS, OVERLAP_HOURS } from './endpoint.ts';
import {
  countEndpoints,
  deleteEndpoint,
  insertEndpoint,
  lockEndpoint,
  selectEndpoint,
  selectEndpoints,
  updateEndpoint,
} from './endpoints.sql.ts';
import { addressesOf, BlockedAddress, type GuardOptions, type Resolve, readTarget } from './guard.ts';
import { ALL_KINDS } from './kinds.ts';
import type { EndpointBody, EndpointsQuery, EndpointUpdateBody } from './schemas.ts';
import { formatSecret } from './signature.ts';

/** The dependencies of endpoints on the environment. */
export interface EndpointDependencies {
  readonly sealer: Sealer;
  readonly guard: GuardOptions;
  readonly resolve: Resolve;
  /** The address of the environment's own inbox; null in production. */
  readonly inboxUrl: string | null;
}

const SECRET_BYTES = 32;
/** A failed look-up of a name is repeated before each attempt. */
const LOOK_UP_MILLISECONDS = 1_000;

/** An endpoint as it is answered. Its secret is answered when it is made. */
export const toEndpointReply = (endpoint: Endpoint, secret?: string) => ({
  id: endpoint.id,
  object: 'webhookEndpoint' as const,
  merchantId: endpoint.merchantId,
  url: endpoint.url,
  eventTypes: [...endpoint.eventTypes],
  description: endpoint.description,
  status: endpoint.status,
  disabledReason: endpoint.disabledReason,
  failingSince: endpoint.failingSince && formatInstant(endpoint.failingSince),
  ...(secret !== undefined && { secret }),
  previousSecretUntil: endpoint.previousSecretUntil && formatInstant(endpoint.previousSecretUntil),
  createdAt: formatInstant(endpoint.createdAt),
  updatedAt: formatInstant(endpoint.updatedAt),
});

const newSecret = (): string => formatSecret(secretBytes(SECRET_BYTES));

/** Creates an endpoint, with a secret that is answered this once. */
export async function createEndpoint(tx: Tx, dependencies: EndpointDependencies, body: EndpointBody, now: Instant) {
  const url = await checkUrl(dependencies, body.url);
  if (!url.ok) return url;
  if ((await countEndpoints(tx)) >= MOST_ENDPOINTS) return fail('TOO_MANY_ENDPOINTS');
  const id = newId('webhookEndpoint');
  const secret = newSecret();
  const { status = 'enabled' } = body;
  const endpoint = await insertEndpoint(tx, {
    id,
    merchantId: tx.merchantId,
    url: url.value,
    eventTypes: body.eventTypes ?? [ALL_KINDS],
    description: body.description ?? null,
    status,
    disabledReason: status === 'enabled' ? null : 'request',
    secret: dependencies.sealer.seal(secret, placeOf(id)),
    previousSecret: null,
    previousSecretUntil: null,
    failingSince: null,
    failedAttempts: 0,
    toldAt: null,
    createdAt: now,
    updatedAt: now,
  });
  return ok(toEndpointReply(endpoint, secret));
}

/** May webhooks go there? The host is looked up where it can be; it is looked up again before each attempt. */
async function checkUrl({ guard, resolve, inboxUrl }: EndpointDependencies, text: string): Promise<Result<string>> {
  if (text === inboxUrl) return ok(text);
  const target = readTarget(text, guard);
  if (typeof target === 'string') return invalidField('url', target);
  const { promise: late, resolve: giveUp } = Promise.withResolvers<readonly string[]>();
  const timer = setTimeout(() => giveUp([]), LOOK_UP_MILLISECONDS);
  try {
    await Promise.race([addressesOf(target, resolve), late]);
  } catch (error) {
    if (error instanceof BlockedAddress) return invalidField('url', 'must lead to a public address');
  } finally {
    clearTimeout(timer);
  }
  return ok(target.url.href);
}

/** Changes the fields of the body. An endpoint that is enabled again starts a new count of failures. */
export async function changeEndpoint(
  tx: Tx,
  dependencies: EndpointDependencies,
  id: string,
  body: EndpointUpdateBody,
  now: Instant,
) {
  const url = body.url === undefined ? undefined : await checkUrl(dependencies, body.url);
  if (url?.ok === false) return url;
  const before = await lockEndpoint(tx, id);
  if (!before) return notFound('webhookEndpoint');
  const after = await updateEndpoint(tx, {
    ...before,
    ...decideStanding(before, body.status),
    url: url?.value ?? before.url,
    eventTypes: body.eventTypes === undefined ? before.eventTypes : (body.eventTypes ?? [ALL_KINDS]),
    description: body.description === undefined ? before.description : body.description,
    updatedAt: now,
  });
  return ok(toEndpointReply(after));
}

/** Gives an endpoint another secret. The one before signs too for 24 hours. */
export async function rotateSecret(tx: Tx, { sealer }: EndpointDependencies, id: string, now: Instant) {
  const before = await lockEndpoint(tx, id);
  if (!before) return notFound('webhookEndpoint');
  const secret = newSecret();
  const after = await updateEndpoint(tx, {
    ...before,
    secret: sealer.seal(secret, placeOf(id)),
    previousSecret: before.secret,
    previousSecretUntil: now.add({ hours: OVERLAP_HOURS }),
    updatedAt: now,
  });
  return ok(toEndpointReply(after, secret));
}

/** Deletes an endpoint; nothing is sent to it any more. */
export async function removeEndpoint(tx: Tx, id: string, now: Instant): Promise<Result<undefined>> {
  return (await deleteEndpoint(tx, id, now)) > 0 ? ok(undefined) : notFound('webhookEndpoint');
}

/** One endpoint; 404. */
export async function getEndpoint(tx: Tx, id: string) {
  const endpoint = await selectEndpoint(tx, id);
  return endpoint ? ok(toEndpointReply(endpoint)) : notFound('webhookEndpoint');
}

/** Endpoints of one merchant, or (null, for operators) of all, newest first. */
export async function listEndpoints(tx: Tx, merchantId: string | null, query: EndpointsQuery, page: PageRequest) {
  const { rows, total } = await selectEndpoints(tx, merchantId, query, page);
  return { data: rows.map((endpoint) => toEndpointReply(endpoint)), total };
}
