import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { sellsForMoneyOnly, walletShares } from './apply-wallet.ts';

const invoice = (id: string, customerId: string, unpaid: string, currency = 'USD', payerId: string | null = null) => ({
  ...{ id, customerId, payerId, currency },
  unpaidAmount: new Decimal(unpaid),
});
const wallet = (customerId: string, balance: string, currency = 'USD') => ({
  ...{ customerId, currency },
  balance: new Decimal(balance),
});

describe('what wallets pay of invoices', () => {
  it.each([
    { what: 'all of it, where there is as much', wallets: [wallet('a', '10')], shares: ['6', '4'] },
    { what: 'the oldest first', wallets: [wallet('a', '7')], shares: ['6', '1'] },
    { what: 'nothing, where there is no wallet', wallets: [], shares: ['0', '0'] },
    { what: 'nothing from one of another currency', wallets: [wallet('a', '9', 'EUR')], shares: ['0', '0'] },
    { what: 'nothing from one of another customer', wallets: [wallet('b', '9')], shares: ['0', '0'] },
    { what: 'from one of who pays', wallets: [wallet('p', '9'), wallet('a', '9')], payer: 'p', shares: ['6', '3'] },
  ])('is $what', ({ wallets, shares, payer = null }) => {
    const paid = walletShares([invoice('1', 'a', '6', 'USD', payer), invoice('2', 'a', '4', 'USD', payer)], wallets);
    expect(['1', '2'].map((id) => paid.get(id)?.toFixed())).toEqual(shares);
  });

  it('is never more than is unpaid, or than there is, and as much as both allow', () => {
    const cents = fc.integer({ min: 0, max: 500 }).map((n) => new Decimal(n).div(100).toFixed());
    const owner = fc.constantFrom('a', 'b');
    fc.assert(
      fc.property(fc.array(fc.tuple(owner, cents)), cents, cents, (asked, ofA, ofB) => {
        const invoices = asked.map(([customer, unpaid], place) => invoice(String(place), customer, unpaid));
        const shares = walletShares(invoices, [wallet('a', ofA), wallet('b', ofB)]);
        for (const [customer, balance] of [
          ['a', ofA],
          ['b', ofB],
        ] as const) {
          const own = invoices.filter(({ customerId }) => customerId === customer);
          const paid = sum(own.map(({ id }) => shares.get(id) ?? ZERO));
          const unpaid = sum(own.map(({ unpaidAmount }) => unpaidAmount));
          expect(paid.eq(Decimal.min(unpaid, new Decimal(balance)))).toBe(true);
          for (const { id, unpaidAmount } of own) expect(shares.get(id)?.lte(unpaidAmount)).toBe(true);
        }
      }),
    );
  });

  it.each([
    { types: ['charge', 'manual'], isSold: false },
    { types: ['charge', 'grant'], isSold: true },
    { types: ['wallet_top_up'], isSold: true },
    { types: [], isSold: false },
  ])('is asked for lines of $types: sold for money only $isSold', ({ types, isSold }) => {
    expect(sellsForMoneyOnly(types.map((type) => ({ type })))).toBe(isSold);
  });
});
