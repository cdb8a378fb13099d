import { afterAll, beforeAll, expect, it } from 'vitest';
import { Database, type Scope, type Tx } from '../../src/db/index.ts';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { at, openManySubscriptions, readAll } from '../support/many-subscriptions.ts';
import { START, shopOf } from '../support/shop.ts';

/** Invoices and subscriptions that are due at once are stepped as lists. Each has the same result as alone. */

/** The lists of a run, and the number of obstacles. */
class Watched extends Database {
  static lists = 0;
  static failures: unknown[] = [];

  override async transaction<T>(
    scope: Scope,
    work: (tx: Tx) => Promise<T>,
    options?: Parameters<Database['transaction']>[2],
  ): Promise<T> {
    if (options?.byKeys === 'a list') Watched.lists += 1;
    try {
      return await super.transaction(scope, work, options);
    } catch (error) {
      if (options?.byKeys === 'a list') Watched.failures.push(error);
      throw error;
    }
  }
}

class Alone extends Database {
  override transaction<T>(
    scope: Scope,
    work: (tx: Tx) => Promise<T>,
    options?: Parameters<Database['transaction']>[2],
  ): Promise<T> {
    if (options?.byKeys === 'a list') return Promise.reject(new Error('Here everybody is alone.'));
    return super.transaction(scope, work, options);
  }
}

let sideBySide: TestEnvironment;
let alone: TestEnvironment;
beforeAll(async () => {
  sideBySide = await openTestEnvironment({ recomputed: true, openDatabase: (options) => new Watched(options) });
  alone = await openTestEnvironment({ recomputed: true, openDatabase: (options) => new Alone(options) });
});
afterAll(async () => {
  await sideBySide.close();
  await alone.close();
});

/** Two months; each customer has other usage, some of it late. */
async function live(env: TestEnvironment): Promise<unknown> {
  env.setNow(START);
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  const sold = await openManySubscriptions(shop);
  const all = Object.values(sold);
  for (const [month, days] of [
    ['01', ['01-15', '02-01', '02-02T12']],
    ['02', ['02-20', '03-01', '03-05']],
  ] as const) {
    for (const [index, subscription] of all.entries()) {
      const subject = index % 2 === 0 ? subscription.id : subscription.customerId;
      await shop.use(subject, at(`${month}-07`), 40 + index * 13);
      if (index % 4 === 0 && month !== '01') await shop.use(subject, at('01-20'), index + 1, { source: month });
    }
    for (const day of days) {
      env.setNow(day.includes('T') ? `2026-${day}:00:00Z` : at(day));
      await env.runDueWork();
    }
  }
  return readAll(env, shop, merchant.id, sold);
}

it('has the same invoices, books, webhooks and mails as one by one', { timeout: 300_000 }, async () => {
  const together = await live(sideBySide);
  expect(Watched.failures).toEqual([]);
  expect(Watched.lists).toBeGreaterThan(4);
  expect(together).toEqual(await live(alone));
});
