import { allOf, assignments, insertion, jsonb, pageOfRows, type Sql, sql, type Tx, withJsonb } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Aggregation, Meter } from '../meters/meter.ts';
import { equals, FOR_UPDATE, ofMerchant, UNLOCKED } from '../scope.sql.ts';
import type { UnitCosts } from './unit-cost.ts';

/** §2 Cost: the merchant's own cost of a unit of usage. A cost without a meter is 0. */
export interface Cost extends Omit<Meter, 'aggregation'>, UnitCosts {
  readonly id: string;
  readonly merchantId: string;
  readonly productId: string;
  readonly type: 'metered';
  readonly name: string;
  readonly currency: string;
  readonly unit: string | null;
  readonly aggregation: Aggregation | null;
  /** Costs count from the first event on. */
  readonly eventFrom: null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

const INSERTED = sql`id, merchant_id, product_id, type, name, currency, unit_cost, unit, aggregation, event_type,
  value_property, group_by, time_unit, created_at, updated_at`;
/** @param merchantId a value in statements that write: else they look into all parts of a divided table */
const columnsOf = (merchantId: Sql) => sql`${INSERTED}, null as event_from, deleted_at,
  (select coalesce(jsonb_agg(jsonb_build_object('until', e.until, 'unitCost', e.unit_cost::text) order by e.until), '[]')
     from earlier_unit_cost e where e.merchant_id = ${merchantId} and e.cost_id = cost.id) as earlier_unit_costs`;
const COLUMNS = columnsOf(sql`cost.merchant_id`);

export const insertCost = (tx: Tx, cost: Omit<Cost, Exclude<keyof UnitCosts, 'unitCost'>>) =>
  tx.one<Cost>(sql`
    ${insertion('cost', withJsonb(cost, 'groupBy'), INSERTED)}
    returning ${columnsOf(sql`${cost.merchantId}`)}`);

const selectOne = (tx: Tx, id: string, lock: Sql) =>
  tx.maybe<Cost>(sql`
    select ${COLUMNS} from cost
     where merchant_id = ${tx.merchantId} and id = ${id} and deleted_at is null ${lock}`);

export const selectCost = (tx: Tx, id: string) => selectOne(tx, id, UNLOCKED);
export const lockCost = (tx: Tx, id: string) => selectOne(tx, id, FOR_UPDATE);

export const selectCostsByEventType = (tx: Tx, eventTypes: readonly string[]) =>
  tx.rows<Cost>(sql`
    select ${COLUMNS} from cost
     where merchant_id = ${tx.merchantId} and event_type = any(${[...eventTypes]}) and deleted_at is null
       order by seq`);

/** The costs of a merchant, or one of them, that were there after an instant, oldest first: for reports. */
export const selectCostsSince = (tx: Tx, since: Instant, id?: string) =>
  tx.rows<Cost>(sql`
    select ${COLUMNS} from cost
     where ${allOf([
       sql`merchant_id = ${tx.merchantId}`,
       sql`(deleted_at is null or deleted_at > ${since})`,
       equals('id', id),
     ])} order by seq`);

/**
 * Stores the present unit cost as the one up to an instant, before another one follows; those after it no longer count.
 */
export const insertEarlierUnitCost = (tx: Tx, { merchantId, id, unitCost }: Cost, until: Instant) =>
  tx.run(sql`
    with replaced as (
      delete from earlier_unit_cost
       where merchant_id = ${merchantId} and cost_id = ${id} and until > ${until} returning until, unit_cost)
    insert into earlier_unit_cost (merchant_id, cost_id, until, unit_cost)
    select ${merchantId}, ${id}, ${until},
           coalesce((select unit_cost from replaced order by until limit 1), ${unitCost})
    on conflict do nothing`);

export const selectCosts = (
  tx: Tx,
  merchantId: string | null,
  filter: { productId?: string | undefined; eventType?: string | undefined },
  page: PageRequest,
) =>
  pageOfRows<Cost>(
    tx,
    {
      kind: 'cost',
      select: COLUMNS,
      from: sql`cost`,
      exists: sql`deleted_at is null`,
      where: allOf([
        ofMerchant(merchantId),
        equals('product_id', filter.productId),
        equals('event_type', filter.eventType),
      ]),
    },
    page,
  );

/** The fields that a change may set; absent fields stay unchanged. */
export type CostChange = Partial<
  Omit<
    Cost,
    'id' | 'merchantId' | 'type' | 'eventFrom' | 'createdAt' | 'updatedAt' | Exclude<keyof UnitCosts, 'unitCost'>
  >
>;

export const updateCost = (tx: Tx, id: string, change: CostChange, now: Instant) =>
  tx.one<Cost>(sql`
    update cost set ${assignments({
      productId: change.productId,
      name: change.name,
      currency: change.currency,
      unitCost: change.unitCost,
      unit: change.unit,
      aggregation: change.aggregation,
      eventType: change.eventType,
      valueProperty: change.valueProperty,
      groupBy: change.groupBy && jsonb(change.groupBy),
      timeUnit: change.timeUnit,
      updatedAt: now,
    })}
     where merchant_id = ${tx.merchantId} and id = ${id}
    returning ${columnsOf(sql`${tx.merchantId}`)}`);

/** @returns whether there was one to delete. */
export const markCostDeleted = async (tx: Tx, id: string, now: Instant): Promise<boolean> =>
  (await tx.run(sql`
    update cost set deleted_at = ${now} where merchant_id = ${tx.merchantId} and id = ${id}
      and deleted_at is null`)) === 1;
