import { insertion, sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Logo } from './logo.ts';

export interface LogoRow {
  merchantId: string;
  contentType: Logo['contentType'];
  width: number;
  height: number;
  content: Buffer;
  updatedAt: Instant;
}

export const selectLogo = (tx: Tx): Promise<LogoRow | undefined> =>
  tx.maybe<LogoRow>(sql`select * from organization_logo where merchant_id = ${tx.merchantId}`);

/** Has the merchant a logo? */
export const selectHasLogo = async (tx: Tx): Promise<boolean> =>
  (await tx.maybe(sql`select from organization_logo where merchant_id = ${tx.merchantId}`)) !== undefined;

export const upsertLogo = (tx: Tx, logo: Logo, now: Instant): Promise<LogoRow> =>
  tx.one<LogoRow>(sql`
    ${insertion('organization_logo', { ...logo, merchantId: tx.merchantId, updatedAt: now })}
    on conflict (merchant_id) do update
      set content_type = excluded.content_type, width = excluded.width, height = excluded.height,
        content = excluded.content,
          updated_at = excluded.updated_at
    returning *`);

export const deleteLogo = (tx: Tx): Promise<number> =>
  tx.run(sql`delete from organization_logo where merchant_id = ${tx.merchantId}`);
