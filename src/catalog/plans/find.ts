import type { Tx } from '../../db/index.ts';
import { type CatalogPrice, withWhatTheyPrice } from '../prices/catalog-price.ts';
import { selectPrice, selectPricesOfVersions } from '../prices/prices.sql.ts';
import { type Plan, selectPlan, selectPlanNames, selectPlansById } from './plans.sql.ts';
import { type PlanVersion, selectVersion, selectVersionByNumber, selectVersionsById } from './versions.sql.ts';

/** A plan version with its prices, for subscriptions and invoices. */
export interface PricedVersion extends PlanVersion {
  readonly prices: readonly CatalogPrice[];
}

/** A plan of the merchant. */
export const findPlan = (tx: Tx, planId: string): Promise<Plan | undefined> => selectPlan(tx, planId);

/** Some plans of the merchant, by their ids. */
export const findPlans = async (tx: Tx, ids: Iterable<string>): Promise<ReadonlyMap<string, Plan>> =>
  new Map((await selectPlansById(tx, [...new Set(ids)])).map((plan) => [plan.id, plan]));

/** Some versions, of any status, with their prices as `findPlanVersion` answers them, by their ids. */
export async function findPlanVersions(tx: Tx, ids: Iterable<string>): Promise<ReadonlyMap<string, PricedVersion>> {
  const versions = await selectVersionsById(tx, [...new Set(ids)]);
  return new Map((await withPrices(tx, versions)).map((version) => [version.id, version]));
}

/** The names of some plans of the merchant, by their ids. */
export const findPlanNames = async (tx: Tx, ids: readonly string[]): Promise<Map<string, string>> =>
  new Map((await selectPlanNames(tx, ids)).map(({ id, name }) => [id, name]));

/** A version, of any status, with its prices (deleted ones too: who is pinned to it is still billed by them). */
export async function findPlanVersion(tx: Tx, versionId: string): Promise<PricedVersion | undefined> {
  return withItsPrices(tx, await selectVersion(tx, versionId));
}

/** A version of a plan by its number. */
export async function findPlanVersionByNumber(
  tx: Tx,
  planId: string,
  versionNumber: number,
): Promise<PricedVersion | undefined> {
  return withItsPrices(tx, await selectVersionByNumber(tx, planId, versionNumber));
}

/** The version that a new subscription is pinned to. */
export async function defaultVersionOf(tx: Tx, plan: Plan): Promise<PricedVersion> {
  const version = await findPlanVersion(tx, plan.defaultVersionId);
  if (!version) throw new Error(`Plan ${plan.id} has no default version.`); // a foreign key holds it
  return version;
}

/** Prices of the merchant that are not deleted, with their metric or fee; unknown ids are left out. */
export async function findPrices(tx: Tx, ids: readonly string[]): Promise<CatalogPrice[]> {
  const found = [];
  for (const id of ids) found.push(await selectPrice(tx, id));
  return withWhatTheyPrice(
    tx,
    found.filter((price) => price !== undefined),
  );
}

async function withItsPrices(tx: Tx, version: PlanVersion | undefined): Promise<PricedVersion | undefined> {
  return version && (await withPrices(tx, [version]))[0];
}

async function withPrices(tx: Tx, versions: readonly PlanVersion[]): Promise<PricedVersion[]> {
  if (versions.length === 0) return [];
  const ids = versions.map(({ id }) => id);
  const prices = await selectPricesOfVersions(tx, [tx.merchantId], ids);
  const priced = await withWhatTheyPrice(tx, [...prices.values()].flat());
  const places = new Map(priced.map((price) => [price.id, price]));
  return versions.map((version) => ({
    ...version,
    prices: (prices.get(version.id) ?? []).map(({ id }) => places.get(id) as CatalogPrice),
  }));
}
