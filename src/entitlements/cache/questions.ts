import { findFeaturesByKey } from '../../catalog/index.ts';
import { findCustomer, findCustomerIdsOfExternalId } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { notFound, ok, type Result } from '../../kernel/result.ts';
import { type AccessOf, selectState, selectStated, selectUnended } from './cache.sql.ts';
import type { Reading, ReadingQuestion } from './readings.ts';

type Asked = Omit<ReadingQuestion, 'text' | 'opens' | 'find'>;

/** The question about one entitlement, also one that has ended or has not begun. */
export const detailQuestion = (asked: Asked, id: string): ReadingQuestion => ({
  ...asked,
  text: id,
  opens: { entitlementId: id },
  find: async (tx) => {
    const found = await selectStated(tx, id, asked.now);
    if (!found) return notFound('entitlement');
    const { customerId, state } = found;
    return ok({ customerId, state, entitlements: [found], isActiveOnly: false, customer: null });
  },
});

/** The question about all active entitlements of a customer, or those to some features. */
export const accessQuestion = (asked: Asked, of: AccessOf): ReadingQuestion => ({
  ...asked,
  text: JSON.stringify([of.customer, of.productId ?? null, of.featureKey ?? null]),
  opens: of,
  find: (tx) => findAccess(tx, asked, of),
});

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
