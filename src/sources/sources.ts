import { findMetric } from '../catalog/index.ts';
import { checkReference, type Tx } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import { newId } from '../kernel/ids.ts';
import { invalidField, notFound, ok, type Result } from '../kernel/result.ts';
import { placeOf, type Sealer } from '../kernel/sealing.ts';
import { formatInstant, type Instant } from '../kernel/time.ts';
import { metricProblem } from './decide-usage.ts';
import type { SourceBody, SourceUpdateBody } from './schemas.ts';
import type { Source } from './source.ts';
import {
  insertSource,
  lockSource,
  type SourceFilter,
  selectSource,
  selectSources,
  updateSource,
} from './sources.sql.ts';

/** A source as it is answered: without its secret (§2). */
export const toSourceReply = (source: Source) => ({
  id: source.id,
  object: 'source' as const,
  merchantId: source.merchantId,
  name: source.name,
  ...(source.description !== null && { description: source.description }),
  planId: source.planId,
  type: source.type,
  config: source.config,
  hasWebhookSecret: source.webhookSecret !== null,
  enabled: source.enabled,
  metadata: source.metadata,
  processingMode: source.processingMode,
  createdAt: formatInstant(source.createdAt),
  updatedAt: formatInstant(source.updatedAt),
});
export type SourceReply = ReturnType<typeof toSourceReply>;

/** Makes a source. Plan and metric must be the merchant's; the secret is sealed before it is stored. */
export async function createSource(
  tx: Tx,
  sealer: Sealer,
  body: SourceBody,
  now: Instant,
): Promise<Result<SourceReply>> {
  const known = await checkNamed(tx, body);
  if (!known.ok) return known;
  const id = newId('source');
  const { webhookSecret = null, ...config } = body.config;
  const source = await insertSource(tx, {
    id,
    merchantId: tx.merchantId,
    name: body.name,
    description: body.description ?? null,
    planId: body.planId,
    type: body.type,
    config,
    webhookSecret: webhookSecret === null ? null : sealer.seal(webhookSecret, placeOf(id)),
    enabled: body.enabled ?? true,
    metadata: body.metadata,
    processingMode: body.processingMode ?? 'automatic',
    createdAt: now,
    updatedAt: now,
  });
  return ok(toSourceReply(source));
}

/** Are the plan and the metric that a body names the merchant's, and can the metric add up revenue? */
async function checkNamed(
  tx: Tx,
  { planId, metadata }: Pick<SourceUpdateBody, 'planId' | 'metadata'>,
): Promise<Result<undefined>> {
  if (planId !== undefined) {
    const plan = await checkReference(tx, 'plan', planId, 'planId');
    if (!plan.ok) return plan;
  }
  if (metadata === undefined) return ok(undefined);
  const id = metadata.billableMetricMapping.revenue;
  const owned = await checkReference(tx, 'billableMetric', id, METRIC_FIELD);
  if (!owned.ok) return owned;
  const metric = await findMetric(tx, id);
  if (!metric) return notFound('billableMetric', METRIC_FIELD);
  const problem = metricProblem(metric);
  return problem === null ? ok(undefined) : invalidField(METRIC_FIELD, problem);
}

const METRIC_FIELD = 'metadata.billableMetricMapping.revenue';

/**
 * Changes the fields of the body. `config` is replaced whole, except the secret: that stays until it is sent or null.
 * `config` is replaced whole, save for the secret: that stays until it is sent or null.
 */
export async function changeSource(
  tx: Tx,
  sealer: Sealer,
  id: string,
  body: SourceUpdateBody,
  now: Instant,
): Promise<Result<SourceReply>> {
  const source = await lockSource(tx, id);
  if (!source) return notFound('source');
  const known = await checkNamed(tx, body);
  if (!known.ok) return known;
  const { webhookSecret, ...config } = body.config ?? source.config;
  const keptSecret = webhookSecret === null ? null : source.webhookSecret;
  const changed = await updateSource(tx, {
    ...source,
    name: body.name ?? source.name,
    description: body.description === undefined ? source.description : body.description,
    planId: body.planId ?? source.planId,
    config,
    webhookSecret: typeof webhookSecret === 'string' ? sealer.seal(webhookSecret, placeOf(id)) : keptSecret,
    enabled: body.enabled ?? source.enabled,
    metadata: body.metadata ?? source.metadata,
    processingMode: body.processingMode ?? source.processingMode,
    updatedAt: now,
  });
  return ok(toSourceReply(changed));
}

/** One source; 404. */
export async function getSource(tx: Tx, id: string): Promise<Result<SourceReply>> {
  const source = await selectSource(tx, id);
  return source ? ok(toSourceReply(source)) : notFound('source');
}

/** Sources of one merchant, or (null, for operators) of all, newest first. */
export async function listSources(tx: Tx, merchantId: string | null, filter: SourceFilter, page: PageRequest) {
  const { rows, total } = await selectSources(tx, merchantId, filter, page);
  return { data: rows.map(toSourceReply), total };
}
