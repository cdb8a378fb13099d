import { afterAll, beforeAll, expect, it } from 'vitest';
import { Database, type Scope, type Sql, type Tx } from '../../src/db/index.ts';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { at, openManySubscriptions, readAll } from '../support/many-subscriptions.ts';
import { START, shopOf } from '../support/shop.ts';

/**
 * Records of a test clock that are due at one instant are stepped as lists. Each has the same result as alone, except
 * for its number among those of that instant (docs/decisions/0146-test-clocks-in-lists.md).
 */

/** Notes how many records were due at one instant; where they go one by one, it shows the first of them only. */
class Clocked extends Database {
  static most = 0;
  readonly isOneByOne: boolean;

  constructor(options: ConstructorParameters<typeof Database>[0], isOneByOne: boolean) {
    super(options);
    this.isOneByOne = isOneByOne;
  }

  override transaction<T>(
    scope: Scope,
    work: (tx: Tx) => Promise<T>,
    options?: Parameters<Database['transaction']>[2],
  ): Promise<T> {
    return super.transaction(scope, (tx) => work(options?.byKeys === 'a list' ? this.#watched(tx) : tx), options);
  }

  #watched(tx: Tx): Tx {
    const rows = async <Row>(query: Sql, plan?: string): Promise<Row[]> => {
      const found = await tx.rows<Row>(query, plan);
      if (!plan?.startsWith('due_with_')) return found;
      Clocked.most = Math.max(Clocked.most, found.length);
      return this.isOneByOne ? found.slice(0, 1) : found;
    };
    return new Proxy(tx, {
      get: (target, name) => {
        if (name === 'rows') return rows;
        const value = target[name as keyof Tx];
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }
}

let inLists: TestEnvironment;
let oneByOne: TestEnvironment;
beforeAll(async () => {
  inLists = await openTestEnvironment({ openDatabase: (options) => new Clocked(options, false) });
  oneByOne = await openTestEnvironment({ openDatabase: (options) => new Clocked(options, true) });
});
afterAll(async () => {
  await inLists.close();
  await oneByOne.close();
});

/** Two months on a clock; each customer has other usage, some of it late. */
async function live(env: TestEnvironment) {
  env.setNow(START);
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  const clock = await shop.clock(START);
  const sold = await openManySubscriptions(shop, clock);
  for (const month of ['01', '02']) {
    for (const [index, subscription] of Object.values(sold).entries()) {
      const subject = index % 2 === 0 ? subscription.id : subscription.customerId;
      await shop.use(subject, at(`${month}-07`), 40 + index * 13);
      if (index % 4 === 0 && month !== '01') await shop.use(subject, at('01-20'), index + 1, { source: month });
    }
    const currentTime = at(month === '01' ? '02-03' : '03-06');
    const moved = await shop.change(`/v0/testClocks/${clock.id}`, { currentTime });
    if (moved.advancingTo !== null) await env.runDueWork(); // the machine is busy: workers continue
  }
  return readAll(env, shop, merchant.id, sold);
}

it('has the same invoices, books, webhooks and mails as one by one', { timeout: 300_000 }, async () => {
  const together = await live(inLists);
  expect(Clocked.most).toBeGreaterThan(10);
  expect(together).toEqual(await live(oneByOne));
});
