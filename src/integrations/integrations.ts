import { isDeepStrictEqual } from 'node:util';
import type { Database, Tx } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import { newId } from '../kernel/ids.ts';
import { type FieldError, invalid, notFound, ok, type Result } from '../kernel/result.ts';
import { placeOf, type Sealer } from '../kernel/sealing.ts';
import { formatInstant, type Instant } from '../kernel/time.ts';
import { decideConnection, type Integration } from './integration.ts';
import {
  type IntegrationFilter,
  insertIntegration,
  lockIntegration,
  lockIntegrationOfProvider,
  selectIntegration,
  selectIntegrationOfProvider,
  selectIntegrations,
  updateIntegration,
} from './integrations.sql.ts';
import type { IntegrationBody } from './schemas.ts';
import { mergeSecrets, splitConfig } from './secrets.ts';
import { decideTrial, type Probe, type Trial, type Tried } from './trial.ts';

/** An integration as it is answered: of its secrets only the names. */
export const toIntegrationReply = (integration: Integration) => ({
  id: integration.id,
  object: 'merchantIntegration' as const,
  merchantId: integration.merchantId,
  provider: integration.provider,
  externalId: integration.externalId,
  status: integration.status,
  statusReason: integration.statusReason,
  config: integration.config,
  secrets: Object.keys(integration.secrets).toSorted(),
  metadata: integration.metadata,
  connectedAt: formatInstant(integration.connectedAt),
  disconnectedAt: integration.disconnectedAt && formatInstant(integration.disconnectedAt),
  createdAt: formatInstant(integration.createdAt),
  updatedAt: formatInstant(integration.updatedAt),
});
type IntegrationReply = ReturnType<typeof toIntegrationReply>;

/** The dependencies of a connection beside the database. */
export interface IntegrationDependencies {
  readonly sealer: Sealer;
  /** By provider. The connections of the others are not tried. */
  readonly probes: Readonly<Record<string, Probe>>;
}

/** The most trials after concurrent changes of the secrets. */
const MOST_TRIALS = 3;
const OVERTAKEN: Trial = { works: false, reason: 'Others changed this integration at the same time. Put it again.' };

/**
 * Makes the integration of a provider, or changes it: what the body does not name stays, save for the status. Where the
 * provider can be asked, the connection is tried first, outside any transaction, and the status says what came of it.
 */
export async function connect(
  database: Pick<Database, 'transaction'>,
  audit: (tx: Tx, before: unknown, after: unknown) => Promise<void>,
  dependencies: IntegrationDependencies,
  merchantId: string,
  body: IntegrationBody,
  now: Instant,
): Promise<Result<IntegrationReply>> {
  const faults = faultsOf(body);
  if (faults.length > 0) return invalid(faults);
  const scope = { merchants: [merchantId] };
  const save = (tried: Tried | null) =>
    database.transaction(scope, async (tx) => {
      const after = await put(tx, dependencies.sealer, body, tried, now);
      if (!after) return;
      const reply = toIntegrationReply(after);
      await audit(tx, null, reply);
      return reply;
    });
  const probe = Object.hasOwn(dependencies.probes, body.provider) ? dependencies.probes[body.provider] : undefined;
  const isTried = probe && (body.status ?? 'active') === 'active';
  for (let trials = 0; isTried && trials < MOST_TRIALS; trials += 1) {
    const secrets = await database.transaction(scope, (tx) => planSecrets(tx, dependencies.sealer, body, now));
    const done = await save({ secrets, trial: await probe(secrets) });
    if (done) return ok(done);
  }
  const saved = await save(isTried ? { secrets: null, trial: OVERTAKEN } : null);
  if (!saved) throw new Error(`The integration with ${body.provider} was not saved.`);
  return ok(saved);
}

/** The secrets that the integration will have, opened. */
async function planSecrets(tx: Tx, sealer: Sealer, body: IntegrationBody, now: Instant) {
  const before = await selectIntegrationOfProvider(tx, body.provider);
  return opened(sealer, withBody(sealer, before ?? fresh(tx.merchantId, body.provider, now), body, now));
}

/** @returns undefined where the integration has other secrets by now than were tried; nothing is changed then */
async function put(
  tx: Tx,
  sealer: Sealer,
  body: IntegrationBody,
  tried: Tried | null,
  now: Instant,
): Promise<Integration | undefined> {
  const isTried = (after: Integration) =>
    (tried?.secrets ?? null) === null || isDeepStrictEqual(opened(sealer, after), tried?.secrets);
  const fromNothing = withTrial(withBody(sealer, fresh(tx.merchantId, body.provider, now), body, now), body, tried);
  const isFirst = (await lockIntegrationOfProvider(tx, body.provider)) === undefined;
  if (isFirst && !isTried(fromNothing)) return;
  const made = isFirst ? await insertIntegration(tx, fromNothing) : undefined;
  if (made) return made;
  const before = await lockIntegrationOfProvider(tx, body.provider);
  if (!before) throw new Error(`The integration with ${body.provider} no longer exists.`); // none is ever deleted
  const after = withTrial(withBody(sealer, before, body, now), body, tried);
  return isTried(after) ? updateIntegration(tx, after) : undefined;
}

const withTrial = (integration: Integration, body: IntegrationBody, tried: Tried | null): Integration =>
  tried === null
    ? integration
    : { ...integration, ...decideTrial(integration.externalId, body.externalId, tried.trial) };

/** Secrets that were sealed under another key of the environment cannot be opened: they are as if not there. */
const opened = (sealer: Sealer, { id, secrets }: Integration): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(secrets).flatMap(([path, sealed]): [string, unknown][] => {
      const text = sealer.open(sealed, placeOf(id, path));
      return text === null ? [] : [[path, JSON.parse(text)]];
    }),
  );

/** An integration that is not there yet. */
const fresh = (merchantId: string, provider: string, now: Instant): Integration => ({
  ...nothing(now),
  id: newId('merchantIntegration'),
  merchantId,
  provider,
});

const nothing = (now: Instant) => ({
  externalId: null,
  status: 'active' as const,
  statusReason: null,
  config: {},
  secrets: {},
  metadata: {},
  connectedAt: now,
  disconnectedAt: null,
  createdAt: now,
  updatedAt: now,
});

/** The integration as the body makes it. */
function withBody(sealer: Sealer, before: Integration, body: IntegrationBody, now: Instant): Integration {
  const { open, secrets } = splitConfig(body.config ?? {});
  const merged = mergeSecrets(before.secrets, secrets, (value, path) =>
    sealer.seal(JSON.stringify(value), placeOf(before.id, path)),
  );
  const { connectedAt, disconnectedAt } = before;
  return {
    ...before,
    externalId: body.externalId === undefined ? before.externalId : body.externalId,
    config: body.config === undefined ? before.config : open,
    metadata: body.metadata ?? before.metadata,
    ...decideConnection(
      { status: before.status, secrets: merged, connectedAt, disconnectedAt },
      body.status ?? 'active',
      now,
    ),
    statusReason: null,
    updatedAt: now,
  };
}

/** A secret of an integration; null where it has none of this name, or it was sealed under another key. */
export function openSecret(sealer: Sealer, { id, secrets }: Integration, path: string): string | null {
  const sealed = secrets[path];
  const text = sealed === undefined ? null : sealer.open(sealed, placeOf(id, path));
  return text === null ? null : String(JSON.parse(text));
}

const MOST_SECRET_CHARACTERS = 500;
const STRIPE_SECRETS = ['secretKey', 'webhookSecret'] as const;

/** The rules for the fields of a known provider. */
function faultsOf({ provider, config = {} }: IntegrationBody): FieldError[] {
  if (provider !== 'stripe') return [];
  return STRIPE_SECRETS.flatMap((name) => {
    const value = Object.hasOwn(config, name) ? config[name] : null;
    const isFit =
      value === null || (typeof value === 'string' && value !== '' && value.length <= MOST_SECRET_CHARACTERS);
    const message = `must be a text of 1 to ${MOST_SECRET_CHARACTERS} characters, or null`;
    return isFit ? [] : [{ field: `config.${name}`, message }];
  });
}

/** Disconnects and forgets the secrets. One that is disconnected stays as it is. */
export async function disconnectIntegration(tx: Tx, id: string, now: Instant): Promise<Result<IntegrationReply>> {
  const before = await lockIntegration(tx, id);
  if (!before) return notFound('integration');
  if (before.status === 'disconnected') return ok(toIntegrationReply(before));
  const after = { ...before, ...decideConnection(before, 'disconnected', now), statusReason: null, updatedAt: now };
  return ok(toIntegrationReply(await updateIntegration(tx, after)));
}

/** One integration; 404. */
export async function getIntegration(tx: Tx, id: string): Promise<Result<IntegrationReply>> {
  const integration = await selectIntegration(tx, id);
  return integration ? ok(toIntegrationReply(integration)) : notFound('integration');
}

/** Integrations of one merchant, or (null, for operators) of all, newest first. */
export async function listIntegrations(
  tx: Tx,
  merchantId: string | null,
  filter: IntegrationFilter,
  page: PageRequest,
) {
  const { rows, total } = await selectIntegrations(tx, merchantId, filter, page);
  return { data: rows.map(toIntegrationReply), total };
}
