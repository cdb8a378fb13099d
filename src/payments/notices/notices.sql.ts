import { assignments, sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { ProviderName } from '../provider/provider.ts';
import type { ProviderNotice } from '../provider/remote.ts';

/** A notice of a provider as it was stored. */
export interface StoredNotice extends ProviderNotice {
  readonly provider: ProviderName;
  readonly attempts: number;
  readonly receivedAt: Instant;
}

/** Each event of a provider is stored once, however often it is sent. @returns how many rows it made */
export const insertNotice = (
  tx: Tx,
  { merchantId, provider, notice }: { merchantId: string; provider: string; notice: ProviderNotice },
  now: Instant,
): Promise<number> =>
  tx.run(sql`
    insert into provider_notice (merchant_id, id, provider, event_id, kind, object_reference, next_action_at,
                                 received_at)
    values (${merchantId}, ${`${provider}:${notice.id}`}, ${provider}, ${notice.id}, ${notice.kind},
            ${notice.objectReference}, ${now}, ${now})
    on conflict do nothing`);

export const selectNotice = (tx: Tx, id: string): Promise<StoredNotice> =>
  tx.one<StoredNotice>(sql`
    select event_id as id, provider, kind, object_reference, attempts, received_at
      from provider_notice where merchant_id = ${tx.merchantId} and id = ${id}`);

export const updateNotice = (
  tx: Tx,
  { merchantId, id }: { merchantId: string; id: string },
  change: Record<string, unknown>,
): Promise<number> =>
  tx.run(sql`
    update provider_notice set ${assignments(change)}
     where merchant_id = ${merchantId} and id = ${id} and done_at is null`);
