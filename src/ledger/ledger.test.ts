import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sharedEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { sql, type Tx } from '../db/index.ts';
import { decimal, plain, sum } from '../kernel/decimal.ts';
import { newId } from '../kernel/ids.ts';
import { accountBalance, creditWallet, post, spendWallet, walletBalance } from './index.ts';

let env: TestEnvironment;
let merchantId: string;
let customerId: string;
const now = Temporal.Instant.from('2026-03-01T00:00:00Z');
beforeAll(async () => {
  env = await sharedEnvironment();
});
afterAll(() => env.close());
beforeEach(async () => {
  const merchant = await env.merchant();
  merchantId = merchant.id;
  const consumer = { name: 'A', email: 'a@example.com', address: {} };
  customerId = (await merchant.post('/v0/customers', { consumer })).body.id;
});

const inTransaction = <T>(work: (tx: Tx) => Promise<T>) => env.database.transaction({ merchants: [merchantId] }, work);
const cash = { account: 'cash', customerId: null } as const;
const revenue = { account: 'revenue', customerId: null } as const;
const move = (amount: string, key = newId('payment'), currency = 'EUR') => ({
  merchantId,
  customerId,
  currency,
  key,
  reason: 'credit' as const,
  amount: decimal(amount),
});
const fill = (amount: string, key?: string, currency?: string) =>
  inTransaction((tx) => creditWallet(tx, { ...move(amount, key, currency), against: cash }, now));
const spend = (amount: string) =>
  inTransaction((tx) => spendWallet(tx, { ...move(amount), against: revenue }, now)).then(plain);
const balance = (currency = 'EUR') => inTransaction((tx) => walletBalance(tx, customerId, currency)).then(plain);
const posting = (entries: Parameters<typeof post>[1]['entries']) => ({
  merchantId,
  key: newId('payment'),
  reason: 'payment' as const,
  currency: 'EUR',
  entries,
});

describe('a posting', () => {
  it('is booked once under its key, for any number of attempts', async () => {
    await fill('10', 'payment:1');
    await expect(fill('10', 'payment:1')).rejects.toMatchObject({ code: '23505' });
    expect(await balance()).toBe('10');
  });

  it('merges the entries of an account, and where all cancel out writes nothing', async () => {
    const owes = { account: 'receivable', customerId } as const;
    await inTransaction((tx) =>
      post(
        tx,
        posting([
          { ...owes, amount: decimal('5') },
          { ...owes, amount: decimal('-5') },
        ]),
        now,
      ),
    );
    const written = await inTransaction((tx) => tx.rows(sql`select 1 from ledger_transaction`));
    expect(written).toEqual([]);
  });

  it.each([
    { what: 'does not balance', entries: [{ ...cash, amount: decimal('5') }], says: 'does not balance' },
    {
      what: 'has half a cent',
      entries: [
        { ...cash, amount: decimal('0.005') },
        { ...revenue, amount: decimal('-0.005') },
      ],
      says: 'more digits than EUR',
    },
    {
      what: 'names no customer where the account is one’s',
      entries: [
        { ...cash, amount: decimal('5') },
        { account: 'wallet' as const, customerId: null, amount: decimal('-5') },
      ],
      says: 'wallet is of a customer',
    },
  ])('that $what is refused', async ({ entries, says }) => {
    await expect(inTransaction((tx) => post(tx, posting(entries), now))).rejects.toThrow(says);
  });
});

describe('the database, for any writer', () => {
  const transaction = (tx: Tx, currency = 'EUR') =>
    tx.run(sql`insert into ledger_transaction (merchant_id, id, key, reason, currency, created_at)
      values (${merchantId}, 'ltx_1', 'k', 'payment', ${currency}, ${now})`);
  const entry = (tx: Tx, position: number, account: string, amount: string, currency = 'EUR') =>
    tx.run(sql`insert into ledger_entry (merchant_id, transaction_id, position, account, currency, amount)
      values (${merchantId}, 'ltx_1', ${position}, ${account}, ${currency}, ${decimal(amount)})`);

  const entries = (tx: Tx, ...all: readonly (readonly [account: string, amount: string])[]) =>
    tx.run(sql`insert into ledger_entry (merchant_id, transaction_id, position, account, currency, amount)
      select ${merchantId}, 'ltx_1', place, account, 'EUR', amount
        from unnest(${all.map(([account]) => account)}::text[], ${all.map(([, amount]) => amount)}::numeric[])
             with ordinality e (account, amount, place)`);

  it.each<{ what: string; write: (tx: Tx) => Promise<unknown>; says: string }>([
    { what: 'a transaction without entries', write: transaction, says: 'has no entries' },
    {
      what: 'one that does not balance',
      write: async (tx) => {
        await transaction(tx);
        await entries(tx, ['cash', '5'], ['revenue', '-4']);
      },
      says: 'does not balance',
    },
    {
      what: 'an entry in another currency than its transaction',
      write: async (tx) => {
        await transaction(tx);
        await entry(tx, 0, 'cash', '5', 'USD');
      },
      says: 'foreign key',
    },
    {
      what: 'a change of what was booked',
      write: (tx) => tx.run(sql`update ledger_entry set amount = 1`),
      says: 'permission denied',
    },
    {
      what: 'its removal',
      write: (tx) => tx.run(sql`delete from ledger_transaction`),
      says: 'permission denied',
    },
  ])('refuses $what', async ({ write, says }) => {
    await expect(inTransaction(write)).rejects.toThrow(says);
  });

  it('refuses a later entry that takes a booked transaction out of balance', async () => {
    await inTransaction(async (tx) => {
      await transaction(tx);
      await entries(tx, ['cash', '5'], ['revenue', '-5']);
    });
    await expect(inTransaction((tx) => entry(tx, 3, 'cash', '1'))).rejects.toThrow('does not balance');
  });

  it('refuses to overdraw a wallet', async () => {
    await fill('5');
    const overdrawn = posting([
      { account: 'wallet', customerId, amount: decimal('6') },
      { ...revenue, amount: decimal('-6') },
    ]);
    await expect(inTransaction((tx) => post(tx, overdrawn, now))).rejects.toMatchObject({ code: '23514' });
  });
});

describe('a wallet', () => {
  it('gives as much as there is, each currency for itself', async () => {
    await fill('10');
    await fill('7', undefined, 'USD');
    expect(await spend('4')).toBe('4');
    expect(await spend('9')).toBe('6');
    expect(await spend('1')).toBe('0');
    expect([await balance(), await balance('USD')]).toEqual(['0', '7']);
  });

  it('gives less than one unit of money too', async () => {
    await fill('0.5');
    expect([await spend('2'), await balance()]).toEqual(['0.5', '0']);
  });

  it('is never spent twice, however many spend at once', async () => {
    await fill('10');
    const taken = await Promise.all(Array.from({ length: 8 }, () => spend('3')));
    expect(taken.toSorted()).toEqual(['0', '0', '0', '0', '1', '3', '3', '3']);
    expect(await balance()).toBe('0');
  });

  it('holds what its entries come to, each with the balance after it, whatever is filled and spent', async () => {
    const steps = fc.array(fc.record({ fills: fc.boolean(), cents: fc.integer({ min: 1, max: 5_000 }) }), {
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        for (const { fills, cents } of list) {
          const amount = decimal(cents).div(100).toFixed(2);
          await (fills ? fill(amount) : spend(amount));
        }
        const entries = await inTransaction((tx) =>
          tx.rows<{ amount: ReturnType<typeof decimal>; walletBalance: ReturnType<typeof decimal> }>(
            sql`select amount, wallet_balance from ledger_entry where customer_id = ${customerId} order by seq`,
          ),
        );
        entries.forEach(({ walletBalance }, index) => {
          const upTo = sum(entries.slice(0, index + 1).map(({ amount }) => amount.negated()));
          expect(plain(walletBalance)).toBe(plain(upTo));
        });
        const replayed = await inTransaction((tx) => accountBalance(tx, 'wallet', { customerId, currency: 'EUR' }));
        expect(await balance()).toBe(plain(replayed.negated()));
      }),
      { numRuns: 10 },
    );
  });
});
