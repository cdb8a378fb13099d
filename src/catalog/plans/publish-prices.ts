import type { Tx } from '../../db/index.ts';
import { newId } from '../../kernel/ids.ts';
import { type FieldError, invalid, invalidField, notFound, ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Price } from '../prices/price.ts';
import { lockPricesShared, selectPricesOfVersions } from '../prices/prices.sql.ts';
import { checkReferences, type NamedId } from '../references-in-body.ts';
import { ownCurrencyErrors } from './in-currency.ts';
import type { Plan } from './plans.sql.ts';
import { checkTemplatesAgree } from './version-prices.ts';
import { NO_TERMS } from './version-terms.ts';
import { insertVersion, selectNextVersionNumber, selectVersionTerms } from './versions.sql.ts';

/** The prices of a body's `prices`, with the field of each. */
export const namePrices = (ids: readonly string[]): NamedId[] =>
  ids.map((id, index) => ({ id, field: `prices.${index}` }));

/** The prices that a body names, in its order, held until a version holds them: 404 and 403 by field. */
export async function takePrices(tx: Tx, ids: readonly NamedId[]): Promise<Result<Price[]>> {
  const known = await checkReferences(tx, 'price', ids);
  if (!known.ok) return known;
  const held = await lockPricesShared(
    tx,
    ids.map(({ id }) => id),
  );
  const byId = new Map(held.map((price) => [price.id, price]));
  const deleted = ids.find(({ id }) => !byId.has(id));
  return deleted ? notFound('price', deleted.field) : ok(ids.flatMap(({ id }) => byId.get(id) ?? []));
}

/** Blames the price that came for a template that disagrees, whichever of the two stands first. */
export function checkTemplatesOf(
  priceIds: readonly string[],
  known: readonly Price[],
  come: readonly NamedId[],
  usual: string,
): FieldError[] {
  const byId = new Map(known.map((price) => [price.id, price]));
  const fields = new Map(come.map(({ id, field }) => [id, field]));
  const ordered = [...priceIds.filter((id) => !fields.has(id)), ...priceIds.filter((id) => fields.has(id))];
  return checkTemplatesAgree(
    ordered.flatMap((id) => byId.get(id) ?? []),
    (id) => fields.get(id) ?? usual,
  );
}

/**
 * Publishes the next version of a plan with exactly these prices and the terms of the default version. The prices
 * of the default version in any order are no change. The plan is locked, so numbers have no gap.
 * @returns the id of the new version; null where nothing changes
 */
export async function publishPrices(
  tx: Tx,
  plan: Plan,
  priceIds: readonly string[],
  now: Instant,
): Promise<Result<string | null>> {
  const { merchantId, id: planId, defaultVersionId } = plan;
  const base = (await selectPricesOfVersions(tx, [merchantId], [defaultVersionId])).get(defaultVersionId) ?? [];
  const known = new Set(base.map(({ id }) => id));
  const come = namePrices(priceIds).filter(({ id }) => !known.has(id));
  if (come.length === 0 && priceIds.length === base.length) return ok(null);
  if (priceIds.length === 0) return invalidField('prices', 'would leave the version without a price');
  const taken = await takePrices(tx, come);
  if (!taken.ok) return taken;
  const disagreements = checkTemplatesOf(priceIds, [...base, ...taken.value], come, 'prices');
  if (disagreements.length > 0) return invalid(disagreements);
  const terms = (await selectVersionTerms(tx, [merchantId], [defaultVersionId])).get(defaultVersionId) ?? NO_TERMS;
  const priced = { prices: taken.value, currencyMinimums: terms.currencyMinimums };
  const wrongCurrencies = ownCurrencyErrors(plan.currency, priced, (id) => `prices.${priceIds.indexOf(id)}`);
  if (wrongCurrencies.length > 0) return invalid(wrongCurrencies);
  const version = {
    id: newId('planVersion'),
    merchantId,
    planId,
    versionNumber: await selectNextVersionNumber(tx, planId),
    status: 'published',
    basedOnVersionId: defaultVersionId,
    ...terms,
    publishedAt: now,
    createdAt: now,
    updatedAt: now,
  } as const;
  await insertVersion(tx, version, priceIds);
  return ok(version.id);
}
