import { allOf, insertion, pageOfRows, sql, type Tx, withJsonb } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { CheckoutLink } from './link.ts';

const INSERTED = sql`merchant_id, id, plan_id, currency, customer_id, known, coupons, allow_promotion_codes, max_uses,
  success_redirect_url,
  failure_redirect_url, metadata, expires_at, created_at, updated_at`;
const COLUMNS = sql`${INSERTED}, uses, ended_at`;

export const insertLink = (tx: Tx, link: CheckoutLink): Promise<CheckoutLink> =>
  tx.one<CheckoutLink>(sql`
    ${insertion('checkout_link', withJsonb(link, 'known', 'metadata', 'coupons'), INSERTED)}
    returning ${COLUMNS}`);

export const selectLink = (tx: Tx, id: string): Promise<CheckoutLink | undefined> =>
  tx.maybe<CheckoutLink>(sql`select ${COLUMNS} from checkout_link where merchant_id = ${tx.merchantId} and id = ${id}`);

/** Locks a link against a concurrent start, end or use; it is locked before the checkouts and sessions of the link. */
export const lockLink = (tx: Tx, id: string): Promise<CheckoutLink | undefined> =>
  tx.maybe<CheckoutLink>(sql`
    select ${COLUMNS} from checkout_link where merchant_id = ${tx.merchantId} and id = ${id} for no key update`);

/** Ends a link before its time. */
export const markLinkEnded = (tx: Tx, { merchantId, id }: CheckoutLink, now: Instant): Promise<CheckoutLink> =>
  tx.one<CheckoutLink>(sql`
    update checkout_link set ended_at = ${now}, updated_at = ${now}
     where merchant_id = ${merchantId} and id = ${id} returning ${COLUMNS}`);

/** Counts one more use, of a link that the caller has locked; a check of the table refuses one too many. */
export const countUse = (tx: Tx, { merchantId, id }: CheckoutLink, now: Instant): Promise<number> =>
  tx.run(sql`
    update checkout_link set uses = uses + 1, updated_at = ${now} where merchant_id = ${merchantId} and id = ${id}`);

export interface LinkFilter {
  readonly planId?: string | undefined;
  readonly customerId?: string | undefined;
}

/** Newest first; of one merchant, or (null, for operators) of all. */
export const selectLinkPage = (tx: Tx, merchantId: string | null, filter: LinkFilter, page: PageRequest) =>
  pageOfRows<CheckoutLink>(
    tx,
    {
      kind: 'checkoutLink',
      select: COLUMNS,
      from: sql`checkout_link`,
      where: allOf([
        merchantId !== null && sql`merchant_id = ${merchantId}`,
        filter.planId !== undefined && sql`plan_id = ${filter.planId}`,
        filter.customerId !== undefined && sql`customer_id = ${filter.customerId}`,
      ]),
    },
    page,
  );
