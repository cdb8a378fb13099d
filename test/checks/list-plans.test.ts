import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database, type Scope, type Sql, sql, type Tx } from '../../src/db/index.ts';
import { compile } from '../../src/db/sql.ts';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { operations, urlOf } from '../support/operations.ts';
import { allDeclarations, propertiesOf, type RouteDeclaration } from '../support/routes.ts';
import type { Resource } from '../support/shop.ts';
import { openWorld, type World } from '../support/world.ts';

/**
 * A page of a list is read in the order of an index, however long the list is (docs/decisions/0086): no row is read to
 * be sorted, and no table is read whole.
 */

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Disabled?: boolean;
  readonly Plans?: readonly Plan[];
}

const IS_PAGE = /limit \$\d+ offset \$\d+/;

/** With these settings a plan uses such a scan only without an alternative, at any size of the tables. */
const LAST_RESORTS = sql`
  select set_config(name, 'off', true)
    from unnest(array['enable_seqscan', 'enable_sort', 'enable_incremental_sort', 'enable_bitmapscan']) name`;

/** Remembers the plan of each page that is read. */
class Explaining extends Database {
  static plans: Plan[] = [];

  override transaction<T>(
    scope: Scope,
    work: (tx: Tx) => Promise<T>,
    options?: Parameters<Database['transaction']>[2],
  ): Promise<T> {
    return super.transaction(scope, (tx) => work(explaining(tx)), options);
  }
}

const explaining = (tx: Tx): Tx =>
  new Proxy(tx, {
    get: (target, name) => {
      const value = Reflect.get(target, name) as unknown;
      if (name === 'rows')
        return async (query: Sql, plan?: string) => {
          if (IS_PAGE.test(compile(query).text)) Explaining.plans.push(await explain(target, query));
          return target.rows(query, plan);
        };
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

async function explain(tx: Tx, query: Sql): Promise<Plan> {
  await tx.run(LAST_RESORTS);
  const explained = await tx.one<{ 'QUERY PLAN': readonly { readonly Plan: Plan }[] }>(
    sql`explain (format json) ${query}`,
  );
  await tx.run(sql`
    select set_config(name, 'on', true)
      from unnest(array['enable_seqscan', 'enable_sort', 'enable_incremental_sort', 'enable_bitmapscan']) name`);
  return (explained['QUERY PLAN'][0] as { Plan: Plan }).Plan;
}

const lastResortsOf = (plan: Plan): string[] => [
  ...(plan.Disabled ? [`${plan['Node Type']} ${plan['Relation Name'] ?? ''}`.trim()] : []),
  ...(plan.Plans ?? []).flatMap(lastResortsOf),
];

/** Lists that are short by their nature, or have an order without an index. */
const EXCUSED: Readonly<Record<string, string>> = {
  listGrants: 'of one entitlement; grants that the template has issued and nobody has written yet are no rows',
  listLineItems: 'invoices in the order of their index, and of each its lines in their order',
};

/** Lists of one customer or subscription; and events, which would be written to one more index each. */
const NOT_OF_ALL = new Set(['listAvailablePlans', 'listActiveEntitlements', 'listLineItems', 'listEvents']);

/** They page their groups. */
const REPORTS = new Set(['getCostReport', 'getUnbilledUsage']);

let env: TestEnvironment;
let world: World;
beforeAll(async () => {
  env = await openTestEnvironment({ openDatabase: (options) => new Explaining(options) });
  world = await openWorld(env);
});
afterAll(() => env.close());

/** The pages that an answer was made of, by how they had to be read against the rule. */
async function lastResortsFor(get: (url: string) => Promise<{ status: number; text: string }>, url: string) {
  Explaining.plans = [];
  const answer = await get(url);
  expect(answer.status, `${url} ${answer.text}`).toBe(200);
  return Explaining.plans.map(lastResortsOf);
}

const lists = (await allDeclarations())
  .filter(({ query, operationId }) => 'offset' in propertiesOf(query) && !REPORTS.has(operationId))
  .map((declaration) => ({ name: declaration.operationId, declaration }));

const callOf = async ({ operationId }: RouteDeclaration) => (await operations[operationId]?.[0](world)) ?? {};

describe('a page is read in the order of an index', () => {
  it.each(lists)('$name', async ({ name, declaration }) => {
    const call = await callOf(declaration);
    const urlWith = (query: Record<string, string>) =>
      urlOf(declaration.path, { ...call, query: { ...call.query, ...query } });
    const found = await lastResortsFor(world.merchant.get, urlWith({}));
    const { data = [] } = (await world.merchant.get(urlWith({}))).body;
    const filtered: Record<string, readonly string[]> = {};
    for (const field of Object.keys(propertiesOf(declaration.query)).filter((each) => each !== 'nextActionAt')) {
      const value = (data as Resource[]).map((row) => row[field]).find((each) => typeof each === 'string');
      if (value === undefined) continue;
      filtered[field] = (await lastResortsFor(world.merchant.get, urlWith({ [field]: value }))).flat();
    }
    const { pagination } = (await world.merchant.get(urlWith({ limit: '1' }))).body;
    if (pagination.nextAfter)
      filtered.after = (await lastResortsFor(world.merchant.get, urlWith({ after: pagination.nextAfter }))).flat();
    const broken = Object.entries({ '': found.flat(), ...filtered }).filter(([, those]) => those.length > 0);
    if (EXCUSED[name] === undefined) {
      expect(found.length, 'no page was read').toBeGreaterThan(0);
      expect(broken).toEqual([]);
    } else expect(found.length === 0 || broken.length > 0, 'needs no excuse').toBe(true);
  });
});

describe("a page of an operator's list over all merchants is read in the order of an index", () => {
  const wide = lists
    .filter(({ declaration }) => 'merchantId' in propertiesOf(declaration.query) && !declaration.path.includes(':'))
    .filter(({ name }) => !NOT_OF_ALL.has(name));
  it.each(wide)('$name', async ({ name, declaration }) => {
    const found = await lastResortsFor(env.platform.get, urlOf(declaration.path, {}));
    expect(found.flat(), name).toEqual([]);
  });
});
