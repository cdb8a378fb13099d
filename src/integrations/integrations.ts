import type { Tx } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import { newId } from '../kernel/ids.ts';
import { type FieldError, invalid, notFound, ok, type Result } from '../kernel/result.ts';
import type { Sealer } from '../kernel/sealing.ts';
import { formatInstant, type Instant } from '../kernel/time.ts';
import { decideConnection, type Integration } from './integration.ts';
import {
  type IntegrationFilter,
  insertIntegration,
  lockIntegration,
  lockIntegrationOfProvider,
  selectIntegration,
  selectIntegrations,
  updateIntegration,
} from './integrations.sql.ts';
import type { IntegrationBody } from './schemas.ts';
import { mergeSecrets, splitConfig } from './secrets.ts';

/** An integration as it is answered: of its secrets only the names. */
export const toIntegrationReply = (integration: Integration) => ({
  id: integration.id,
  object: 'merchantIntegration' as const,
  merchantId: integration.merchantId,
  provider: integration.provider,
  externalId: integration.externalId,
  status: integration.status,
  config: integration.config,
  secrets: Object.keys(integration.secrets).toSorted(),
  metadata: integration.metadata,
  connectedAt: formatInstant(integration.connectedAt),
  disconnectedAt: integration.disconnectedAt && formatInstant(integration.disconnectedAt),
  createdAt: formatInstant(integration.createdAt),
  updatedAt: formatInstant(integration.updatedAt),
});
type IntegrationReply = ReturnType<typeof toIntegrationReply>;

/** Makes the integration of a provider, or changes it: what the body does not name stays, save for the status. */
export async function putIntegration(
  tx: Tx,
  sealer: Sealer,
  merchantId: string,
  body: IntegrationBody,
  now: Instant,
): Promise<Result<IntegrationReply>> {
  const faults = faultsOf(body);
  if (faults.length > 0) return invalid(faults);
  const id = newId('merchantIntegration');
  const empty = { ...nothing(now), id, merchantId, provider: body.provider };
  const made = await insertIntegration(tx, withBody(sealer, empty, body, now));
  if (made) return ok(toIntegrationReply(made));
  const before = await lockIntegrationOfProvider(tx, merchantId, body.provider);
  if (!before) throw new Error(`The integration with ${body.provider} is gone.`); // none is ever deleted
  return ok(toIntegrationReply(await updateIntegration(tx, withBody(sealer, before, body, now))));
}

const nothing = (now: Instant) => ({
  externalId: null,
  status: 'active' as const,
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
    updatedAt: now,
  };
}

/** Where a secret opens: in its own field of its own integration. */
const placeOf = (id: string, path: string): string => `${id} ${path}`;

const MOST_SECRET_CHARACTERS = 500;
const STRIPE_SECRETS = ['secretKey', 'webhookSecret'] as const;

/** What the fields of a known provider must be. */
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
export async function disconnectIntegration(
  tx: Tx,
  merchantId: string,
  id: string,
  now: Instant,
): Promise<Result<IntegrationReply>> {
  const before = await lockIntegration(tx, merchantId, id);
  if (!before) return notFound('integration');
  if (before.status === 'disconnected') return ok(toIntegrationReply(before));
  const after = { ...before, ...decideConnection(before, 'disconnected', now), updatedAt: now };
  return ok(toIntegrationReply(await updateIntegration(tx, after)));
}

/** One integration; 404. */
export async function getIntegration(tx: Tx, merchantId: string, id: string): Promise<Result<IntegrationReply>> {
  const integration = await selectIntegration(tx, merchantId, id);
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
