import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import type { Resource } from '../support/shop.ts';
import { type Lived, live } from './drive.ts';
import { judge } from './judge.ts';
import { DAY, type Life } from './life.ts';

/** Does the judge find faults? A life is lived, and its result is changed by hand. */
const life: Life = {
  ...{ seed: 0, start: '2026-01-01T00:00:00Z', currency: 'USD', isEven: true, taxBehavior: 'exclusive', taxRate: 20 },
  metrics: [],
  prices: [{ cadence: 'P1M', term: 'in_advance', model: 'standard', properties: { unitPrice: '31' } }],
  plans: [{ cadence: 'P1M', prices: [0], graceHours: 0 }],
  steps: [
    { do: 'subscribe', sub: 's0', plan: 0, startedAt: 0, asks: 'transfer' },
    { do: 'pay', how: 'full' },
    { do: 'advance', to: 10 * DAY },
    { do: 'end', sub: 's0', credit: 'wallet' },
  ],
};

let env: TestEnvironment;
let lived: Lived;
beforeAll(async () => {
  env = await sharedEnvironment();
  lived = await live(env, life);
});
afterAll(() => env.close());

const kindsOf = (changed: Lived) => judge(life, changed).map((fault) => fault.split(':')[0]);
const withLine = (change: (line: Resource) => Resource): Lived => ({
  ...lived,
  invoices: lived.invoices.map((invoice) => ({ ...invoice, lines: invoice.lines.map(change) })),
});

describe('the judge', () => {
  it('finds nothing in a life that is right', () => {
    expect(judge(life, lived)).toEqual([]);
    expect(lived.invoices.some(({ grandTotal }) => grandTotal === '37.20')).toBe(true);
    expect(lived.wallet).toBe('25.20'); // 21 of 31 days, with tax
  });

  it.each<{ what: string; changed: () => Lived; kinds: string[] }>([
    {
      what: 'a line that is a cent higher',
      changed: () => withLine((line) => ({ ...line, totalPrice: '31.01' })),
      kinds: ['billed', 'totals'],
    },
    {
      what: 'a credit that is not there',
      changed: () => ({ ...lived, notes: [] }),
      kinds: ['billed', 'money', 'statement'],
    },
    {
      what: 'a cent of tax',
      changed: () => withLine((line) => ({ ...line, totalTax: '6.21' })),
      kinds: ['tax', 'totals'],
    },
    {
      what: 'tax of an exempt customer',
      changed: () => ({ ...lived, deeds: [{ step: { do: 'exempt', is: true }, at: -1 }, ...lived.deeds] }),
      kinds: ['rate'],
    },
    { what: 'a cent in the wallet', changed: () => ({ ...lived, wallet: '25.21' }), kinds: ['money', 'statement'] },
    { what: 'a payment that was lost', changed: () => ({ ...lived, payments: [] }), kinds: ['money'] },
    {
      what: 'an invoice that nobody calculated',
      changed: () => ({ ...lived, invoices: lived.invoices.map((each) => ({ ...each, status: 'FAILED' })) }),
      kinds: ['unfinished', 'unfinished', 'empty'],
    },
  ])('sees $what', ({ changed, kinds }) => expect(kindsOf(changed())).toEqual(kinds));
});
