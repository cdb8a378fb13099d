import { allOf, assignments, insertion, jsonb, pageOfRows, type Sql, sql, type Tx, withJsonb } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import { equals, FOR_UPDATE, ofMerchant, UNLOCKED } from '../scope.sql.ts';

export type TaxBehavior = 'exclusive' | 'inclusive';

/** A plan: the common terms of its versions, which have the prices. What it charges stands in its versions. */
export interface Plan {
  readonly id: string;
  readonly merchantId: string;
  readonly productId: string;
  readonly name: string;
  readonly description: string | null;
  readonly invoiceDisplayName: string | null;
  readonly currency: string;
  /** As sent: ISO 8601, whole days, weeks, months or years. */
  readonly billingCadence: string;
  /** §9: 1; 0 in imported plans only. */
  readonly billingVersion: number;
  readonly billingAnchor: Instant | null;
  /** ISO 8601 durations. */
  readonly gracePeriod: string;
  readonly trialPeriod: string | null;
  readonly autoApprove: boolean;
  readonly defaultTaxCode: string;
  /** Percent. */
  readonly defaultTaxRate: Decimal | null;
  readonly taxBehavior: TaxBehavior;
  readonly renewalReminderEnabled: boolean;
  readonly renewalReminderDays: number;
  readonly metadata: Record<string, unknown>;
  /** The version that new subscriptions are pinned to. */
  readonly defaultVersionId: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

const COLUMNS = sql`id, merchant_id, product_id, name, description,
  invoice_display_name, currency, billing_cadence,
  billing_version, billing_anchor, grace_period,
  trial_period, auto_approve, default_tax_code,
  default_tax_rate, tax_behavior,
  renewal_reminder_enabled, renewal_reminder_days, metadata,
  default_version_id, created_at, updated_at`;

export const insertPlan = (tx: Tx, plan: Plan) =>
  tx.one<Plan>(sql`${insertion('plan', withJsonb(plan, 'metadata'), COLUMNS)} returning ${COLUMNS}`);

const selectOne = (tx: Tx, id: string, lock: Sql) =>
  tx.maybe<Plan>(sql`select ${COLUMNS} from plan where merchant_id = ${tx.merchantId} and id = ${id} ${lock}`);

export const selectPlan = (tx: Tx, id: string) => selectOne(tx, id, UNLOCKED);
/** Some plans; unknown ids are left out. */
export const selectPlansById = (tx: Tx, ids: readonly string[]): Promise<Plan[]> =>
  tx.rows<Plan>(
    sql`select ${COLUMNS} from plan where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])`,
  );

/** The names of plans; unknown ids are left out. */
export const selectPlanNames = (tx: Tx, ids: readonly string[]) =>
  tx.rows<{ id: string; name: string }>(
    sql`select id, name from plan where merchant_id = ${tx.merchantId} and id = any (${ids})`,
  );

/**
 * One at a time: who changes a plan or its versions holds its row, so version numbers follow each other without a gap.
 */
export const lockPlan = (tx: Tx, id: string) => selectOne(tx, id, FOR_UPDATE);

/** The plans of a list. */
export interface PlanFilter {
  readonly productId?: string | undefined;
  /** Part of the name, in any case. */
  readonly search?: string | undefined;
  /** Plans whose product has none of these plans. */
  readonly notInProductsOf?: readonly string[] | undefined;
}

export const selectPlans = (tx: Tx, merchantId: string | null, filter: PlanFilter, page: PageRequest) =>
  pageOfRows<Plan>(
    tx,
    {
      kind: 'plan',
      select: COLUMNS,
      from: sql`plan`,
      where: allOf([
        ofMerchant(merchantId),
        equals('product_id', filter.productId),
        filter.search !== undefined && sql`position(lower(${filter.search}) in lower(name)) > 0`,
        filter.notInProductsOf !== undefined &&
          filter.notInProductsOf.length > 0 &&
          sql`product_id <> all (select product_id from plan
                where ${ofMerchant(merchantId) ?? sql`true`} and id = any(${[...filter.notInProductsOf]}))`,
      ]),
    },
    page,
  );

/** The fields that a change may set; absent fields stay unchanged. */
export type PlanChange = Partial<Omit<Plan, 'id' | 'merchantId' | 'billingVersion' | 'createdAt' | 'updatedAt'>>;

export const updatePlan = (tx: Tx, id: string, change: PlanChange, now: Instant) =>
  tx.one<Plan>(sql`
    update plan set ${assignments({
      productId: change.productId,
      name: change.name,
      description: change.description,
      invoiceDisplayName: change.invoiceDisplayName,
      currency: change.currency,
      billingCadence: change.billingCadence,
      billingAnchor: change.billingAnchor,
      gracePeriod: change.gracePeriod,
      trialPeriod: change.trialPeriod,
      autoApprove: change.autoApprove,
      defaultTaxCode: change.defaultTaxCode,
      defaultTaxRate: change.defaultTaxRate,
      taxBehavior: change.taxBehavior,
      renewalReminderEnabled: change.renewalReminderEnabled,
      renewalReminderDays: change.renewalReminderDays,
      metadata: change.metadata === undefined ? undefined : jsonb(change.metadata),
      defaultVersionId: change.defaultVersionId,
      updatedAt: now,
    })}
     where merchant_id = ${tx.merchantId} and id = ${id}
    returning ${COLUMNS}`);
