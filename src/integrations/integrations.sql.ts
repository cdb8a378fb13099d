import { allOf, insertion, jsonb, pageOfRows, sql, type Tx, withJsonb } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import type { Integration, IntegrationStatus } from './integration.ts';

const COLUMNS = sql`id, merchant_id, provider, external_id, status,
  status_reason, config, secrets, metadata, connected_at,
   disconnected_at, created_at, updated_at`;

/** Of two at once the second waits, and finds the first. @returns undefined where the provider has an integration */
export const insertIntegration = (tx: Tx, integration: Integration) =>
  tx.maybe<Integration>(sql`
    ${insertion('merchant_integration', withJsonb(integration, 'config', 'secrets', 'metadata'), COLUMNS)}
    on conflict (merchant_id, provider) do nothing
    returning ${COLUMNS}`);

export const selectIntegration = (tx: Tx, id: string) =>
  tx.maybe<Integration>(
    sql`select ${COLUMNS} from merchant_integration where merchant_id = ${tx.merchantId} and id = ${id}`,
  );

export const lockIntegration = (tx: Tx, id: string) =>
  tx.maybe<Integration>(sql`
    select ${COLUMNS} from merchant_integration where merchant_id = ${tx.merchantId} and id = ${id} for no key update`);

export const selectIntegrationOfProvider = (tx: Tx, provider: string) =>
  tx.maybe<Integration>(
    sql`select ${COLUMNS} from merchant_integration where merchant_id = ${tx.merchantId} and provider = ${provider}`,
  );

export const lockIntegrationOfProvider = (tx: Tx, provider: string) =>
  tx.maybe<Integration>(sql`
    select ${COLUMNS} from merchant_integration where merchant_id = ${tx.merchantId} and provider = ${provider}
       for no key update`);

export const updateIntegration = (tx: Tx, integration: Integration) =>
  tx.one<Integration>(sql`
    update merchant_integration
       set external_id = ${integration.externalId}, status = ${integration.status},
           status_reason = ${integration.statusReason}, config = ${jsonb(integration.config)},
           secrets = ${jsonb(integration.secrets)}, metadata = ${jsonb(integration.metadata)},
           connected_at = ${integration.connectedAt}, disconnected_at = ${integration.disconnectedAt},
           updated_at = ${integration.updatedAt}
     where merchant_id = ${integration.merchantId} and id = ${integration.id}
    returning ${COLUMNS}`);

export interface IntegrationFilter {
  readonly provider?: string | undefined;
  readonly status?: IntegrationStatus | undefined;
}

export const selectIntegrations = (tx: Tx, merchantId: string | null, filter: IntegrationFilter, page: PageRequest) =>
  pageOfRows<Integration>(
    tx,
    {
      kind: 'merchantIntegration',
      select: COLUMNS,
      from: sql`merchant_integration`,
      where: allOf([
        merchantId !== null && sql`merchant_id = ${merchantId}`,
        filter.provider !== undefined && sql`provider = ${filter.provider}`,
        filter.status !== undefined && sql`status = ${filter.status}`,
      ]),
    },
    page,
  );
