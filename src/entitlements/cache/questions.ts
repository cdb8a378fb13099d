import { findFeaturesByKey } from '../../catalog/index.ts';
import { findCustomer, findCustomerIdsOfExternalId } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { notFound, ok, type Result } from '../../kernel/result.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';
import { type Loaded, loadedOf } from '../inputs/inputs.ts';
import { countsAsThen } from '../inputs/snapshot.ts';
import {
  type AccessOf,
  type OpenedRow,
  selectOpened,
  selectOpenedOfCustomer,
  selectState,
  selectStated,
  selectUnended,
} from './cache.sql.ts';
import type { OpenedReading, Reading, ReadingQuestion } from './readings.ts';

type Asked = Omit<ReadingQuestion, 'text' | 'open' | 'find'>;

/** The question about one entitlement, also one that has ended or has not begun. */
export const detailQuestion = (asked: Asked, id: string): ReadingQuestion => ({
  ...asked,
  text: id,
  open: () => openDetail(asked, id),
  find: async (tx) => {
    const found = await selectStated(tx, id, asked.now);
    if (!found) return notFound('entitlement');
    const { customerId, state } = found;
    return ok({ customerId, state, entitlements: [found], isActiveOnly: false, customer: null });
  },
});

async function openDetail({ database, merchantId, now }: Asked, id: string): Promise<OpenedReading | null> {
  const row = await selectOpened(database, merchantId, id, now);
  if (!row) return null;
  const { customerId, state, effectiveNow: at, nextGrantAt } = row;
  const reading = { customerId, state, entitlements: [row], isActiveOnly: false, customer: null };
  const loaded = await loadedOf({ entitlement: entitlementOf(row), at }, row);
  return countsAsThen(loaded) ? { reading, loaded: [loaded], nextGrants: [nextGrantAt] } : null;
}

/** Without the inputs, which are kept in their parsed form. */
function entitlementOf({
  terms,
  grants,
  resets,
  meters,
  preceding,
  snapshotState,
  ...entitlement
}: OpenedRow): EntitlementRow {
  return entitlement;
}

/** The question about all active entitlements of a customer, or those to some features. */
export const accessQuestion = (asked: Asked, of: AccessOf): ReadingQuestion => ({
  ...asked,
  text: JSON.stringify([of.customer, of.productId ?? null, of.featureKey ?? null]),
  open: () => openAccess(asked, of),
  find: (tx) => findAccess(tx, asked, of),
});

async function openAccess({ database, merchantId, now }: Asked, of: AccessOf): Promise<OpenedReading | null> {
  const rows = await selectOpenedOfCustomer(database, merchantId, of, now);
  const [first] = rows;
  if (!first) return null;
  const found = rows.filter(({ id }) => id !== null);
  const loaded: Loaded[] = [];
  for (const row of found) loaded.push(await loadedOf({ entitlement: entitlementOf(row), at: row.effectiveNow }, row));
  if (!loaded.every(countsAsThen)) return null;
  const externalId = 'externalId' in of.customer ? of.customer.externalId : null;
  const reading = {
    ...{ customerId: first.customer, state: first.state, entitlements: found, isActiveOnly: true },
    ...{ customer: { externalId }, asked: first.asked ?? undefined },
  };
  return { reading, loaded, nextGrants: found.map(({ nextGrantAt }) => nextGrantAt) };
}

async function findAccess(tx: Tx, { now }: Asked, of: AccessOf): Promise<Result<Reading>> {
  const { productId, featureKey } = of;
  const found = await findWhose(tx, of.customer);
  if (!found.ok) return found;
  const customerId = found.value;
  const state = await selectState(tx, customerId); // before all that is as it says
  const asked = await findAsked(tx, { productId, featureKey });
  const filters = { customerId, productId, ...(asked && { featureIds: asked.map(({ id }) => id) }) };
  const entitlements = await selectUnended(tx, filters, now);
  const externalId = 'externalId' in of.customer ? of.customer.externalId : null;
  return ok({ customerId, state, entitlements, isActiveOnly: true, customer: { externalId }, asked });
}

/** The customer that is asked about. */
export async function findWhose(tx: Tx, customer: AccessOf['customer']): Promise<Result<string>> {
  if ('id' in customer) {
    const found = await findCustomer(tx, customer.id);
    return found ? ok(found.id) : notFound('customer');
  }
  const [id] = await findCustomerIdsOfExternalId(tx, tx.merchantId, customer.externalId);
  return id === undefined ? notFound('customer', 'externalCustomerId') : ok(id);
}

/** The features that are asked for; undefined: all to which the customer is entitled. */
export const findAsked = async (tx: Tx, { productId, featureKey }: Pick<AccessOf, 'productId' | 'featureKey'>) =>
  featureKey === undefined
    ? undefined
    : (await findFeaturesByKey(tx, tx.merchantId, featureKey)).filter(
        (feature) => productId === undefined || feature.productId === productId,
      );
