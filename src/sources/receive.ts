import { findCustomersOfExternalIds } from '../customers/index.ts';
import type { Database, Tx } from '../db/index.ts';
import { type Authentication, FreeMap, hasRole, readJsonBody, readText, validate } from '../http/index.ts';
import { isId, newId } from '../kernel/ids.ts';
import { isJsonObject } from '../kernel/json.ts';
import { fail, forbidden, invalid, invalidField, notFound, ok, type Result } from '../kernel/result.ts';
import { placeOf, type Sealer } from '../kernel/sealing.ts';
import type { Instant } from '../kernel/time.ts';
import type { Reading } from './adapter.ts';
import { adapters } from './adapters.ts';
import { insertSourceEvent, selectReceived } from './events.sql.ts';
import { type SourceEventReply, toSourceEventReply } from './events.ts';
import { processArrived } from './process.ts';
import type { Signed } from './signatures.ts';
import type { Revenue, Source, SourceEvent } from './source.ts';
import { lockSourceShared, selectSource } from './sources.sql.ts';

/** The dependencies of receiving a webhook beside the database. */
export interface ReceivingDependencies {
  readonly environment: 'production' | 'sandbox';
  readonly sealer: Sealer;
  /** @param address where the call comes from */
  readonly authenticate: (token: string | undefined, address: string) => Authentication | Promise<Authentication>;
}

/** A webhook of a provider, or a call of the merchant's own in its form. */
export interface Arrived extends Signed {
  /** Behind `Bearer`; undefined where nothing was. */
  readonly token: string | undefined;
  readonly address: string;
}

/** The received event: a new one, the same one again, or none. */
export type Received =
  | { readonly kind: 'created' | 'known'; readonly event: SourceEventReply }
  | { readonly kind: 'nothing'; readonly sourceId: string; readonly reason: string };

/** Providers' objects are large: an invoice of a hundred lines. */
const MOST_KEYS = 10_000;
const Storable = FreeMap();

/**
 * Receives a provider's webhook (domain.md §7): who sends it is proved before the body is looked at, and the event is
 * stored and processed in one transaction, once.
 */
export async function receiveWebhook(
  dependencies: ReceivingDependencies,
  database: Database,
  sourceId: string,
  arrived: Arrived,
  now: Instant,
): Promise<Result<Received>> {
  const merchantId = isId('source', sourceId) ? await database.owners.find(sourceId) : null;
  if (merchantId === null) return notFound('source');
  const scope = { merchants: [merchantId] };
  const source = await database.transaction(scope, (tx) => selectSource(tx, sourceId));
  if (!source) return notFound('source');
  const sender = await checkSender(dependencies, source, arrived, now);
  if (!sender.ok) return sender;
  const body = readJsonBody(readText(arrived.bytes), MOST_KEYS);
  if (!isJsonObject(body)) return invalidField('body', 'must be an object');
  const unstorable = validate('body', Storable, body);
  if (unstorable.length > 0)
    return invalid(unstorable.map(({ field, ...error }) => ({ ...error, field: inside(field) })));
  const reading = adapters[source.type].read(body, dependencies.environment === 'production');
  if (reading.kind === 'refused') return invalid([...reading.errors]);
  return database.transaction(scope, (tx) => record(tx, source, reading, body, now), { byKeys: 'one thing' });
}

/** `body.data.name` is `data.name`. */
const inside = (field: string): string => field.replace(/^body\.(?=.)/, '');

/** Is the webhook signed with the source's secret, or sent by the merchant with an API key that may write? */
async function checkSender(
  { sealer, authenticate }: ReceivingDependencies,
  source: Source,
  arrived: Arrived,
  now: Instant,
): Promise<Result<undefined>> {
  const secret = source.webhookSecret === null ? null : sealer.open(source.webhookSecret, placeOf(source.id));
  if (source.webhookSecret !== null && secret === null) return fail('SECRET_UNREADABLE');
  // Without a secret nothing can be signed; that a signature came all the same is told by any secret.
  const verdict = adapters[source.type].check(arrived, secret ?? newId('source'), now);
  if (verdict === 'valid') return ok(undefined);
  if (verdict === 'invalid' || arrived.token === undefined) return fail('WEBHOOK_SIGNATURE_INVALID');
  const found = await authenticate(arrived.token, arrived.address);
  if ('code' in found) return fail(found.code === 'RATE_LIMITED' ? 'RATE_LIMITED' : 'WEBHOOK_SIGNATURE_INVALID');
  const { caller } = found;
  if (!caller.isOperator && caller.organizationId !== source.merchantId)
    return forbidden('This resource is not yours.');
  return hasRole(caller, 'member') ? ok(undefined) : forbidden();
}

/** Stores the revenue and processes it by the source's mode. The same event again answers with the first. */
async function record(
  tx: Tx,
  { id }: Source,
  reading: Exclude<Reading, { kind: 'refused' }>,
  rawData: Readonly<Record<string, unknown>>,
  now: Instant,
): Promise<Result<Received>> {
  const source = await lockSourceShared(tx, id);
  if (!source) return notFound('source');
  if (!source.enabled) return fail('SOURCE_DISABLED');
  if (reading.kind === 'nothing') return ok({ kind: 'nothing', sourceId: id, reason: reading.reason });
  const arriving = await newEvent(tx, source, reading.revenue, rawData, now);
  const stored = await insertSourceEvent(tx, arriving);
  if (!stored) return ok({ kind: 'known', event: toSourceEventReply(await selectReceived(tx, arriving)) });
  const [event] = await processArrived(tx, source, [stored], now);
  return ok({ kind: 'created', event: toSourceEventReply(event as SourceEvent) });
}

async function newEvent(
  tx: Tx,
  { id: sourceId, merchantId }: Source,
  revenue: Revenue,
  rawData: Readonly<Record<string, unknown>>,
  now: Instant,
): Promise<SourceEvent> {
  const name = revenue.customerExternalId;
  const customers = await findCustomersOfExternalIds(tx, name === null ? [] : [name]);
  return {
    ...revenue,
    id: newId('sourceEvent'),
    merchantId,
    sourceId,
    status: 'pending',
    customerId: customers.get(name ?? '') ?? null,
    subscriptionId: null,
    rawData,
    errorMessage: null,
    usageEventIds: [],
    processedAt: null,
    processedBy: null,
    createdAt: now,
    updatedAt: now,
  };
}
