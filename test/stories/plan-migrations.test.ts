import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Fate, immortal, Life, MortalDatabase } from '../support/mortal-database.ts';
import { dearer, planOfTwoVersions, waitingMigration } from '../support/plan-migrations.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';
import { openTables, type Tables } from '../support/tables.ts';

/**
 * Migrations of all subscriptions of a version of a plan, in the request and as due work (domain.md §3, Plan change).
 */
let env: TestEnvironment;
let tables: Tables;
const life = new Life();
beforeAll(async () => {
  env = await openTestEnvironment({ openDatabase: (options) => new MortalDatabase(options, life) });
  tables = await openTables(env.url);
});
afterAll(async () => {
  await tables.close();
  await env.close();
});

const ONE_TO_TWO = { fromVersion: 1, toVersion: 2 };
async function opened() {
  const merchant = await env.merchant();
  return { merchant, shop: shopOf(merchant) };
}
/** Kills a worker at the end of the second transaction in which it changes subscriptions. */
function atSecondCommit(): Fate {
  const LEAST_STATEMENTS = 20; // a transaction with fewer changes none
  let seen = 0;
  return (place, nth) => {
    if (place === 'commit' && nth > LEAST_STATEMENTS) seen += 1;
    return seen === 2;
  };
}
const migrationsOf = (plan: Resource) => `/v0/plans/${plan.id}/migrations`;
const versionsOf = async (shop: Shop, subscriptions: readonly Resource[]): Promise<number[]> => {
  const found = await Promise.all(subscriptions.map(({ id }) => shop.read(`/v0/subscriptions/${id}`)));
  return found.map(({ planVersionNumber }) => planVersionNumber);
};
const outcomesOf = async (shop: Shop, plan: Resource, id: string): Promise<Resource[]> =>
  (await shop.read(`${migrationsOf(plan)}/${id}/subscriptions?limit=100`)).data;

/** Copies of a subscription and its customer, made by the database in one statement. */
async function copySubscription(shop: Shop, { id, customerId }: Resource, copies: number): Promise<void> {
  const { consumerId } = await shop.read(`/v0/customers/${customerId}`);
  const made: readonly [table: string, id: string, changed: Readonly<Record<string, string>>][] = [
    ['organization', consumerId, { email: 'n || t.email' }],
    ['customer', customerId, { consumer_id: 't.consumer_id || n' }],
    ['subscription', id, { customer_id: 't.customer_id || n' }],
  ];
  for (const [table, id, changed] of made) {
    const columns = await tables.query<{ name: string }>(
      `select attname as name from pg_attribute
        where attrelid = $1::regclass and attnum > 0 and not attisdropped and attidentity = ''`,
      [table],
    );
    const values = columns.map(({ name }) => (name === 'id' ? 't.id || n' : (changed[name] ?? `t.${name}`)));
    await tables.query(
      `insert into ${table} (${columns.map(({ name }) => name).join()})
       select ${values.join()} from ${table} t cross join generate_series(1, ${copies}) n where t.id = $1 order by n`,
      [id],
    );
  }
}

describe('a migration of few subscriptions', () => {
  it('is completed in the answer, and can be read later', async () => {
    const { shop } = await opened();
    const { plan, subscriptions } = await planOfTwoVersions(shop, 2);
    const answered = await shop.create(migrationsOf(plan), ONE_TO_TWO);
    const { subscriptions: outcomes, ...migration } = answered;
    expect(migration).toMatchObject({ status: 'completed', progress: { total: 2, done: 2, failed: 0 } });
    expect(outcomes.map(({ subscriptionId, outcome }: Resource) => [subscriptionId, outcome])).toEqual(
      subscriptions.map(({ id }) => [id, 'applied']),
    );
    expect(await versionsOf(shop, subscriptions)).toEqual([2, 2]);
    expect(await shop.read(`${migrationsOf(plan)}/${migration.id}`)).toEqual(migration);
    expect((await shop.read(migrationsOf(plan))).data).toEqual([migration]);
    const listed = await outcomesOf(shop, plan, migration.id);
    expect(listed).toEqual(
      outcomes.map((outcome: Resource) => ({ object: 'plan_migration_subscription', ...outcome })),
    );
  });

  it('changes subscriptions of one customer one after another', async () => {
    const { shop } = await opened();
    const customer = await shop.customer();
    const { plan, subscriptions } = await planOfTwoVersions(shop, 3, { customer });
    const { progress } = await shop.create(migrationsOf(plan), ONE_TO_TWO);
    expect(progress).toEqual({ total: 3, done: 3, failed: 0 });
    expect(await versionsOf(shop, subscriptions)).toEqual([2, 2, 2]);
  });

  it('bills what changes one by one bill', async () => {
    const billed = async (migrate: (shop: Shop, plan: Resource, subscriptions: Resource[]) => Promise<unknown>) => {
      const { shop } = await opened();
      const customer = await shop.customer();
      const clock = await shop.clock('2026-01-01T00:00:00Z');
      const price = await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '30' } });
      const usage = await shop.usagePrice();
      const plan = await shop.plan([price, usage], { gracePeriod: 'P0D', defaultTaxRate: 20 });
      const made: Resource[] = [];
      for (const fields of [{ customer }, { customer }, { quantities: { [price.id]: 3 } }])
        made.push(await shop.subscribe(plan, { bankTransferOnly: true, clock, ...fields }));
      await shop.use(customer.id, '2026-01-05T00:00:00Z', 7);
      const paid = (await shop.invoices(made[2])).find(({ status }) => status === 'ISSUED');
      await shop.create(`/v2/invoices/${paid.id}/payments`, {
        ...{ amount: paid.unpaidAmount, method: 'bank_transfer', idempotencyKey: paid.id },
        receivedAt: paid.issuedAt,
      });
      await dearer(shop, plan, price);
      await shop.advance(clock, '2026-01-16T12:00:00Z');
      await migrate(shop, plan, made);
      await shop.advance(clock, '2026-02-01T00:00:00Z');
      const bills = [];
      for (const subscription of made)
        for (const invoice of await shop.invoices(subscription)) bills.push(shown(invoice));
      return bills;
    };
    const shown = ({ status, grandTotal, paidAmount, lines }: Resource) => ({
      ...{ status, grandTotal, paidAmount },
      lines: lines.map(({ type, quantity, totalPrice, periodStart, periodEnd }: Resource) => [
        ...[type, quantity, totalPrice, periodStart, periodEnd],
      ]),
    });
    const together = await billed((shop, plan) => shop.create(migrationsOf(plan), ONE_TO_TWO));
    const alone = await billed(async (shop, plan, subscriptions) => {
      for (const { id } of subscriptions)
        await shop.create(`/v0/subscriptions/${id}/changes`, { planId: plan.id, versionNumber: 2 });
    });
    expect(together).toEqual(alone);
  });
});

describe('a migration of many subscriptions', () => {
  const MANY = 60;
  /** With a future start: nothing of them is billed yet, so copies are complete. */
  async function many() {
    const { merchant, shop } = await opened();
    const startedAt = Temporal.Now.instant().add({ hours: 24 }).toString();
    const { plan, subscriptions } = await planOfTwoVersions(shop, 1, { startedAt });
    await copySubscription(shop, subscriptions[0], MANY - 1);
    return { merchant, shop, plan };
  }

  it('continues after the answer, and its outcomes are listed in pages', async () => {
    const { shop, plan } = await many();
    const migration = await shop.create(migrationsOf(plan), ONE_TO_TWO);
    expect(migration).toMatchObject({ status: 'running', endedAt: null, subscriptions: [] });
    expect(migration.progress).toEqual({ total: MANY, done: 0, failed: 0 });
    await env.runDueWork();
    expect(await shop.read(`${migrationsOf(plan)}/${migration.id}`)).toMatchObject({
      status: 'completed',
      progress: { total: MANY, done: MANY, failed: 0 },
    });
    const page = await shop.read(`${migrationsOf(plan)}/${migration.id}/subscriptions?offset=50&limit=50`);
    expect(page.pagination).toEqual({ limit: 50, offset: 50, total: MANY, nextAfter: null });
    expect(page.data.map(({ outcome }: Resource) => outcome)).toEqual(Array(MANY - 50).fill('applied'));
  });

  it('with dryRun writes nothing but what it would do', async () => {
    const { merchant, shop, plan } = await many();
    const before = await tables.snapshot(merchant.id);
    const migration = await shop.act(migrationsOf(plan), { ...ONE_TO_TWO, dryRun: true });
    expect(migration).toMatchObject({ status: 'running', dryRun: true });
    await env.runDueWork();
    const listed = await outcomesOf(shop, plan, migration.id);
    expect(listed.map(({ outcome, changeId }) => [outcome, changeId])).toEqual(
      Array.from({ length: MANY }, () => ['applied', null]),
    );
    const after = await tables.snapshot(merchant.id);
    const changed = Object.keys(after)
      .filter((table) => after[table] !== before[table])
      .toSorted();
    expect(changed).toEqual([
      'audit_entry',
      'list_count_change',
      'plan_migration',
      'plan_migration_subscription',
      'resource',
    ]);
  });

  it('is one at a time for a version, and another one is free when it has ended', async () => {
    const { merchant, shop, plan } = await many();
    const { id } = await shop.create(migrationsOf(plan), ONE_TO_TWO);
    const again = await merchant.post(migrationsOf(plan), ONE_TO_TWO);
    expect(again).toMatchObject({
      status: 409,
      body: { code: 'PLAN_MIGRATION_RUNNING', details: { migrationId: id } },
    });
    expect((await merchant.post(migrationsOf(plan), { ...ONE_TO_TWO, dryRun: true })).status).toBe(200);
    await env.runDueWork();
    expect((await shop.create(migrationsOf(plan), ONE_TO_TWO)).progress.total).toBe(0);
  });

  it('is one of ten that are asked for at once', async () => {
    const { merchant, plan } = await many();
    const answers = await Promise.all(Array.from({ length: 10 }, () => merchant.post(migrationsOf(plan), ONE_TO_TWO)));
    const started = answers.filter(({ status }) => status === 201);
    expect(started).toHaveLength(1);
    for (const { status, body } of answers.filter((answer) => !started.includes(answer)))
      expect({ status, code: body.code }).toEqual({ status: 409, code: 'PLAN_MIGRATION_RUNNING' });
    await env.runDueWork();
    const list = await merchant.get(migrationsOf(plan));
    expect(list.body.data.map(({ status, progress }: Resource) => [status, progress.done])).toEqual([
      ['completed', MANY],
    ]);
  });

  it('that is cancelled leaves the others as they are', async () => {
    const { merchant, shop, plan } = await many();
    await env.runDueWork();
    const { id } = await shop.create(migrationsOf(plan), ONE_TO_TWO);
    life.begin(atSecondCommit());
    await env.runDueWork().catch(() => undefined);
    life.begin(immortal);
    const cancelled = await merchant.delete(`${migrationsOf(plan)}/${id}`);
    expect(cancelled.body).toMatchObject({ status: 'cancelled', progress: { total: MANY, done: 50, failed: 0 } });
    await env.runDueWork();
    const listed = await outcomesOf(shop, plan, id);
    expect(listed.map(({ outcome }) => outcome)).toEqual([
      ...Array(50).fill('applied'),
      ...Array(MANY - 50).fill('cancelled'),
    ]);
    const named = `${migrationsOf(plan)}/${id}/subscriptions?outcome=cancelled&limit=1`;
    expect((await shop.read(named)).pagination.total).toBe(MANY - 50);
  });
});

describe('a subscription that cannot be changed', () => {
  it('is left as it is with the reason, and holds up no other', async () => {
    const { merchant, shop } = await opened();
    const { plan, subscriptions } = await planOfTwoVersions(shop, 5);
    const [scheduled, ended, moved, quantified, free] = subscriptions;
    await shop.create(`/v0/subscriptions/${scheduled.id}/changes`, {
      ...{ planId: plan.id, versionNumber: 2, effective: 'periodEnd' },
    });
    const migration = await waitingMigration(env, merchant.id, plan.id);
    await shop.act(`/v0/subscriptions/${ended.id}/termination`, { reason: 'Left' });
    await shop.create(`/v0/subscriptions/${moved.id}/changes`, { planId: plan.id, versionNumber: 2 });
    await shop.create(`/v0/subscriptions/${quantified.id}/changes`, { quantities: { [plan.prices[0].id]: 2 } });
    await env.runDueWork();
    const outcomes = await outcomesOf(shop, plan, migration.id);
    expect(outcomes.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['refused', 'CHANGE_SCHEDULED'],
      ['refused', 'INVALID_TRANSITION'],
      ['refused', 'OTHER_PLAN_VERSION'],
      ['applied', null],
      ['applied', null],
    ]);
    expect(await shop.read(`${migrationsOf(plan)}/${migration.id}`)).toMatchObject({
      status: 'completed',
      progress: { total: 5, done: 2, failed: 3 },
    });
    expect(await versionsOf(shop, [scheduled, ended, moved, quantified, free])).toEqual([1, 1, 2, 2, 2]);
    const changes = await shop.read(`/v0/subscriptions/${moved.id}/changes`);
    expect(changes.pagination.total).toBe(1);
  });

  it('because of a fault is reported as such, and the others are changed', async () => {
    const { merchant, shop } = await opened();
    const { plan, subscriptions } = await planOfTwoVersions(shop, 3);
    await tables.query(`
      create function fail_change() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
      create trigger broken before insert on subscription_change for each row
        when (new.subscription_id = '${subscriptions[1].id}') execute function fail_change()`);
    const migration = await shop.create(migrationsOf(plan), ONE_TO_TWO);
    await tables.query('drop trigger broken on subscription_change; drop function fail_change()');
    expect(migration.subscriptions.map(({ outcome, reason }: Resource) => [outcome, reason])).toEqual([
      ['applied', null],
      ['refused', 'INTERNAL_ERROR'],
      ['applied', null],
    ]);
    const [broken] = await tables.query<{ fault: string }>(
      'select fault from plan_migration_subscription where merchant_id = $1 and fault is not null',
      [merchant.id],
    );
    expect(broken?.fault).toContain('broken');
    expect(await versionsOf(shop, subscriptions)).toEqual([2, 1, 2]);
  });
});

describe('a migration whose worker is killed', () => {
  const STRIDE = 8;
  it('at any statement loses nothing and changes nothing twice', async () => {
    const { merchant, shop } = await opened();
    const { plan, subscriptions } = await planOfTwoVersions(shop, 2);
    await env.runDueWork();
    const { id } = await waitingMigration(env, merchant.id, plan.id);
    const status = async () => (await shop.read(`${migrationsOf(plan)}/${id}`)).status;
    const deaths = life.deaths;
    for (let struck = 0; (await status()) === 'running'; struck += STRIDE) {
      life.begin((place, nth) => place === 'statement' && nth === struck);
      await env.runDueWork().catch(() => undefined);
      life.begin(immortal);
    }
    expect(life.deaths - deaths).toBeGreaterThan(3);
    expect(await versionsOf(shop, subscriptions)).toEqual([2, 2]);
    for (const subscription of subscriptions)
      expect((await shop.read(`/v0/subscriptions/${subscription.id}/changes`)).pagination.total).toBe(1);
  });
});
