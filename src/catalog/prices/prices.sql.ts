import { allOf, assignments, insertion, jsonb, pageOfRows, sql, type Tx } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import type { Pricing } from '../../invoicing/rating/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { FeatureType } from '../features/feature.ts';
import type { Metric } from '../metrics/metric.ts';
import { equals, FOR_KEY_SHARE, FOR_UPDATE } from '../scope.sql.ts';
import type { Price } from './price.ts';
import type { EntitlementTemplate } from './template.ts';

type Row = Omit<Price, 'pricing' | 'features'> & {
  model: Pricing['model'];
  properties: Pricing['properties'];
  priceFeatureId: string | null;
  featureId: string;
  entitlementTemplate: EntitlementTemplate;
  featureKey: string;
  featureName: string;
  featureType: FeatureType;
};

/** A price of a fee, and its default quantity. */
export type FeeQuantity = Pick<Price, 'id' | 'quantity'>;

const COLUMNS = sql`p.id, p.merchant_id, p.billable_metric_id, p.fee_id,
  p.invoice_display_name, p.payment_term, p.model, p.properties,
  p.billing_cadence, p.quantity, p.minimum_amount,
  p.maximum_amount, p.currency_prices, p.display_unit, p.tax_rate, p.group_filters,
  p.grant_discount_enabled, p.created_at, p.updated_at,
  p.deleted_at, pf.id as price_feature_id, pf.feature_id,
  pf.entitlement_template, f.key as feature_key, f.name as feature_name,
  f.type as feature_type`;

/** A price has at most one feature (a unique index), so the joins repeat no price. */
const FROM = sql`price p
  left join price_feature pf on pf.merchant_id = p.merchant_id and pf.price_id = p.id
  left join feature f on f.merchant_id = pf.merchant_id and f.id = pf.feature_id`;

function toPrice(row: Row): Price {
  const {
    model,
    properties,
    priceFeatureId,
    featureId,
    entitlementTemplate,
    featureKey,
    featureName,
    featureType,
    ...rest
  } = row;
  const feature = { key: featureKey, name: featureName, type: featureType };
  return {
    ...rest,
    pricing: { model, properties } as Pricing,
    features: priceFeatureId === null ? [] : [{ id: priceFeatureId, featureId, entitlementTemplate, feature }],
  };
}

export const selectPrice = async (tx: Tx, id: string): Promise<Price | undefined> => {
  const row = await tx.maybe<Row>(sql`
    select ${COLUMNS} from ${FROM} where p.merchant_id = ${tx.merchantId} and p.id = ${id} and p.deleted_at is null`);
  return row && toPrice(row);
};

/** Locks first and reads then: a statement that waited would join the price as it is with its feature as it was. */
export async function lockPrice(tx: Tx, id: string): Promise<Price | undefined> {
  await tx.run(sql`select 1 from price where merchant_id = ${tx.merchantId} and id = ${id} ${FOR_UPDATE}`);
  return selectPrice(tx, id);
}

/**
 * The prices that a version is to hold, kept as they are until it does; in id order, so that two such readers never
 * wait in a ring.
 */
export async function lockPricesShared(tx: Tx, ids: readonly string[]): Promise<Price[]> {
  const these = sql`p.merchant_id = ${tx.merchantId} and p.id = any(${[...ids]})`;
  await tx.run(sql`select 1 from price p where ${these} order by p.id ${FOR_KEY_SHARE}`);
  const rows = await tx.rows<Row>(sql`select ${COLUMNS} from ${FROM} where ${these} and p.deleted_at is null`);
  return rows.map(toPrice);
}

/** The prices of some versions in their order, deleted ones too, by the version's id. */
export async function selectPricesOfVersions(
  tx: Tx,
  merchantIds: readonly string[],
  versionIds: readonly string[],
): Promise<Map<string, Price[]>> {
  const rows = await tx.rows<Row & { versionId: string }>(sql`
    select vp.version_id, ${COLUMNS}
      from plan_version_price vp
      join (${FROM}) on p.merchant_id = vp.merchant_id and p.id = vp.price_id
     where vp.merchant_id = any(${[...merchantIds]}) and p.merchant_id = any(${[...merchantIds]})
       and vp.version_id = any(${[...versionIds]})
     order by vp.version_id, vp.position`);
  const byVersion = new Map<string, Price[]>(versionIds.map((id) => [id, []]));
  for (const { versionId, ...row } of rows) byVersion.get(versionId)?.push(toPrice(row));
  return byVersion;
}

/** The fee prices of some versions in their order, deleted ones too, with their quantities, by the version's id. */
export async function selectFeeQuantities(
  tx: Tx,
  merchantIds: readonly string[],
  versionIds: readonly string[],
): Promise<ReadonlyMap<string, FeeQuantity[]>> {
  const rows = await tx.rows<FeeQuantity & { versionId: string }>(sql`
    select vp.version_id, p.id, p.quantity
      from plan_version_price vp
      join price p on p.merchant_id = vp.merchant_id and p.id = vp.price_id
     where vp.merchant_id = any(${[...merchantIds]}) and p.merchant_id = any(${[...merchantIds]})
       and vp.version_id = any(${[...versionIds]}) and p.fee_id is not null
     order by vp.version_id, vp.position`);
  const byVersion = new Map<string, FeeQuantity[]>(versionIds.map((id) => [id, []]));
  for (const { versionId, ...price } of rows) byVersion.get(versionId)?.push(price);
  return byVersion;
}

export const selectPrices = async (
  tx: Tx,
  merchantId: string | null,
  filter: { billableMetricId?: string | undefined; feeId?: string | undefined },
  page: PageRequest,
): Promise<{ rows: Price[]; total: number }> => {
  const { rows, total } = await pageOfRows<Row>(
    tx,
    {
      kind: 'price',
      select: COLUMNS,
      from: FROM,
      alias: 'p',
      exists: sql`p.deleted_at is null`,
      where: allOf([
        equals('p.merchant_id', merchantId ?? undefined),
        equals('p.billable_metric_id', filter.billableMetricId),
        equals('p.fee_id', filter.feeId),
      ]),
    },
    page,
  );
  return { rows: rows.map(toPrice), total };
};

export async function insertPrice(tx: Tx, price: Price): Promise<void> {
  const { merchantId, id, billableMetricId, feeId, createdAt } = price;
  await tx.run(insertion('price', { merchantId, id, billableMetricId, feeId, ...changeableOf(price), createdAt }));
  await insertPriceFeatures(tx, price);
}

/** The columns that can change. */
const changeableOf = (price: Price) => ({
  invoiceDisplayName: price.invoiceDisplayName,
  paymentTerm: price.paymentTerm,
  model: price.pricing.model,
  properties: jsonb(price.pricing.properties),
  billingCadence: price.billingCadence,
  quantity: price.quantity,
  minimumAmount: price.minimumAmount,
  maximumAmount: price.maximumAmount,
  currencyPrices: jsonb(price.currencyPrices),
  taxRate: price.taxRate,
  displayUnit: price.displayUnit && jsonb(price.displayUnit),
  groupFilters: price.groupFilters && jsonb(price.groupFilters),
  grantDiscountEnabled: price.grantDiscountEnabled,
  updatedAt: price.updatedAt,
});

const insertPriceFeatures = async (tx: Tx, { merchantId, id, features }: Price): Promise<void> => {
  for (const feature of features) {
    await tx.run(sql`
      insert into price_feature (merchant_id, id, price_id, feature_id, entitlement_template)
      values (${merchantId}, ${feature.id}, ${id}, ${feature.featureId}, ${jsonb(feature.entitlementTemplate)})`);
  }
};

/** Writes all that can change of a price that no version holds. */
export async function updatePrice(tx: Tx, price: Price): Promise<void> {
  await tx.run(sql`
    update price set ${assignments(changeableOf(price))}
     where merchant_id = ${price.merchantId} and id = ${price.id}`);
  await tx.run(sql`delete from price_feature where merchant_id = ${price.merchantId} and price_id = ${price.id}`);
  await insertPriceFeatures(tx, price);
}

export const markPriceDeleted = (tx: Tx, id: string, now: Instant) =>
  tx.run(sql`update price set deleted_at = ${now} where merchant_id = ${tx.merchantId} and id = ${id}`);

/** The versions that hold a price, newest first. */
export const selectVersionsOfPrice = (tx: Tx, priceId: string) =>
  tx.rows<{ id: string; planId: string; versionNumber: number; status: 'draft' | 'published' | 'archived' }>(sql`
    select v.id, v.plan_id, v.version_number, v.status
      from plan_version_price vp join plan_version v on v.merchant_id = vp.merchant_id and v.id = vp.version_id
     where vp.merchant_id = ${tx.merchantId} and vp.price_id = ${priceId}
     order by v.created_at desc, v.id`);

/** Is there a metric that is priced together with the feature? What a feature on fees measures (domain.md §5). */
export const isFeatureOnMetrics = async (tx: Tx, featureId: string): Promise<boolean> =>
  (await tx.maybe(sql`
    select 1 from price_feature pf join price p on p.merchant_id = pf.merchant_id and p.id = pf.price_id
     where pf.merchant_id = ${tx.merchantId} and pf.feature_id = ${featureId} and p.billable_metric_id is not null
       and p.deleted_at is null limit 1`)) !== undefined;

/**
 * The metrics of all prices that carry a feature, oldest first; `isPublished` where a version that was published holds
 * such a price.
 */
export const selectMetricsOfFeature = (tx: Tx, featureId: string) =>
  tx.rows<Pick<Metric, 'id' | 'aggregation' | 'timeUnit'> & { isPublished: boolean }>(sql`
    select m.id, m.aggregation, m.time_unit,
           bool_or(exists (
             select from plan_version_price vp
               join plan_version v on v.merchant_id = vp.merchant_id and v.id = vp.version_id
              where vp.merchant_id = p.merchant_id and vp.price_id = p.id
                and v.published_at is not null)) as is_published
      from price_feature pf
      join price p on p.merchant_id = pf.merchant_id and p.id = pf.price_id
      join billable_metric m on m.merchant_id = p.merchant_id and m.id = p.billable_metric_id
     where pf.merchant_id = ${tx.merchantId} and pf.feature_id = ${featureId}
     group by m.merchant_id, m.id, m.aggregation, m.time_unit, m.seq
     order by m.seq`);
