import type { Tx } from '../../db/index.ts';
import { type CatalogPrice, withWhatTheyPrice } from '../prices/catalog-price.ts';
import { selectPrice, selectPricesOfVersions } from '../prices/prices.sql.ts';
import { type Plan, selectPlan, selectPlanNames } from './plans.sql.ts';
import { type PlanVersion, selectVersion, selectVersionByNumber } from './versions.sql.ts';

/** A plan version with its prices, for subscriptions and invoices. */
export interface PricedVersion extends PlanVersion {
  readonly prices: readonly CatalogPrice[];
}

/** A plan of the merchant. */
export const findPlan = (tx: Tx, merchantId: string, planId: string): Promise<Plan | undefined> =>
  tx.once(`plan ${planId} of ${merchantId}`, () => selectPlan(tx, merchantId, planId));

/** What some plans of the merchant are called, by their ids. */
export const findPlanNames = async (tx: Tx, merchantId: string, ids: readonly string[]): Promise<Map<string, string>> =>
  new Map((await selectPlanNames(tx, merchantId, ids)).map(({ id, name }) => [id, name]));

/** A version, of any status, with its prices (deleted ones too: who is pinned to it is still billed by them). */
export async function findPlanVersion(
  tx: Tx,
  merchantId: string,
  versionId: string,
): Promise<PricedVersion | undefined> {
  return tx.once(`plan version ${versionId} of ${merchantId}`, async () =>
    withPrices(tx, await selectVersion(tx, merchantId, versionId)),
  );
}

/** A version of a plan by its number. */
export async function findPlanVersionByNumber(
  tx: Tx,
  merchantId: string,
  planId: string,
  versionNumber: number,
): Promise<PricedVersion | undefined> {
  return withPrices(tx, await selectVersionByNumber(tx, merchantId, planId, versionNumber));
}

/** The version that a new subscription is pinned to. */
export async function defaultVersionOf(tx: Tx, plan: Plan): Promise<PricedVersion> {
  const version = await findPlanVersion(tx, plan.merchantId, plan.defaultVersionId);
  if (!version) throw new Error(`Plan ${plan.id} has no default version.`); // a foreign key holds it
  return version;
}

/** Prices of the merchant that are not deleted, with what they price; unknown ids are left out. */
export async function findPrices(tx: Tx, merchantId: string, ids: readonly string[]): Promise<CatalogPrice[]> {
  const found = [];
  for (const id of ids) found.push(await selectPrice(tx, merchantId, id));
  return withWhatTheyPrice(
    tx,
    merchantId,
    found.filter((price) => price !== undefined),
  );
}

async function withPrices(tx: Tx, version: PlanVersion | undefined): Promise<PricedVersion | undefined> {
  if (!version) return;
  const prices = await selectPricesOfVersions(tx, [version.merchantId], [version.id]);
  return { ...version, prices: await withWhatTheyPrice(tx, version.merchantId, prices.get(version.id) ?? []) };
}
