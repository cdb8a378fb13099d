import { findNamesInCatalog } from '../catalog/index.ts';
import { findClockNames } from '../clocks/index.ts';
import { customerNames } from '../customers/index.ts';
import type { Tx } from '../db/index.ts';
import { findUserNames } from '../identity/index.ts';
import { findInvoiceNumbers } from '../invoicing/index.ts';
import { type IdKind, kindOf } from '../kernel/ids.ts';
import { invalidField, ok, type Result } from '../kernel/result.ts';
import { findCouponNames, findSubscriptionNames } from '../subscriptions/index.ts';
import type { NamesReply } from './schemas.ts';

interface Named {
  readonly id: string;
  readonly name: string | null;
}

type NamesOf = (tx: Tx, ids: readonly string[]) => Promise<readonly Named[]>;

const NAMES: Partial<Record<IdKind, NamesOf>> = {
  customer: customerNames,
  subscription: findSubscriptionNames,
  coupon: findCouponNames,
  invoice: findInvoiceNumbers,
  testClock: findClockNames,
  user: findUserNames,
  product: findNamesInCatalog,
  plan: findNamesInCatalog,
  feature: findNamesInCatalog,
  billableMetric: findNamesInCatalog,
  fee: findNamesInCatalog,
  price: findNamesInCatalog,
};

const MOST_IDS = 100;

/** GET /v0/names: the names of resources of the merchant by their ids; null where one has none, or there is none. */
export async function readNames(tx: Tx, text: string): Promise<Result<NamesReply>> {
  const ids = [...new Set(text.split(',').filter((id) => id !== ''))];
  if (ids.length < 1 || ids.length > MOST_IDS)
    return invalidField('ids', `must have 1 to ${MOST_IDS} ids, separated by commas`);
  const names = new Map<string, string | null>(ids.map((id) => [id, null]));
  const byReader = Map.groupBy(ids, (id) => NAMES[kindOf(id) as IdKind]);
  for (const [reader, some] of byReader)
    for (const { id, name } of (await reader?.(tx, some)) ?? []) names.set(id, name);
  return ok({ object: 'names', names: Object.fromEntries(names) });
}
