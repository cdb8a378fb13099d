import { allOf, insertion, jsonb, pageOfRows, sql, type Tx, withJsonb } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import type { ProcessingMode, Source, SourceType } from './source.ts';

const COLUMNS = sql`id, merchant_id, name, description, plan_id, type, config,
  webhook_secret, enabled, metadata, processing_mode, created_at,
  updated_at`;

export const insertSource = (tx: Tx, source: Source) =>
  tx.one<Source>(sql`${insertion('source', withJsonb(source, 'config', 'metadata'), COLUMNS)} returning ${COLUMNS}`);

export const selectSource = (tx: Tx, id: string) =>
  tx.maybe<Source>(sql`select ${COLUMNS} from source where merchant_id = ${tx.merchantId} and id = ${id}`);

export const lockSource = (tx: Tx, id: string) =>
  tx.maybe<Source>(sql`
    select ${COLUMNS} from source where merchant_id = ${tx.merchantId} and id = ${id} for no key update`);

/** Locks the source against changes, shared, so that an event is judged by one state of it. */
export const lockSourceShared = (tx: Tx, id: string) =>
  tx.maybe<Source>(sql`select ${COLUMNS} from source where merchant_id = ${tx.merchantId} and id = ${id} for share`);

export const updateSource = (tx: Tx, source: Source) =>
  tx.one<Source>(sql`
    update source
       set name = ${source.name}, description = ${source.description}, plan_id = ${source.planId},
           config = ${jsonb(source.config)}, webhook_secret = ${source.webhookSecret}, enabled = ${source.enabled},
           metadata = ${jsonb(source.metadata)}, processing_mode = ${source.processingMode},
           updated_at = ${source.updatedAt}
     where merchant_id = ${source.merchantId} and id = ${source.id}
    returning ${COLUMNS}`);

export interface SourceFilter {
  readonly planId?: string | undefined;
  readonly type?: SourceType | undefined;
  readonly enabled?: boolean | undefined;
  readonly processingMode?: ProcessingMode | undefined;
}

export const selectSources = (tx: Tx, merchantId: string | null, filter: SourceFilter, page: PageRequest) =>
  pageOfRows<Source>(
    tx,
    {
      kind: 'source',
      select: COLUMNS,
      from: sql`source`,
      where: allOf([
        merchantId !== null && sql`merchant_id = ${merchantId}`,
        filter.planId !== undefined && sql`plan_id = ${filter.planId}`,
        filter.type !== undefined && sql`type = ${filter.type}`,
        filter.enabled !== undefined && sql`enabled = ${filter.enabled}`,
        filter.processingMode !== undefined && sql`processing_mode = ${filter.processingMode}`,
      ]),
    },
    page,
  );
