import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal, sum, ZERO } from '../kernel/decimal.ts';
import { type Instant, isAfter } from '../kernel/time.ts';
import { amountOf, type BilledItem, planInvoices } from './difference.ts';
import type { OwedLine } from './owed.ts';

const at = (date: string): Instant => Temporal.Instant.from(`${date}T00:00:00Z`);
const month = (n: number): Instant => at('2026-01-01').toZonedDateTimeISO('UTC').add({ months: n }).toInstant();
const NOW = at('2026-06-15');

const owed = (n: number, amount: number | string, fields: Partial<OwedLine> = {}): OwedLine => ({
  key: `${month(n).toString()} oli_1`,
  lineKey: 'oli_1',
  itemId: null,
  description: 'Seats',
  quantity: new Decimal(1),
  unitPrice: new Decimal(amount),
  subtotal: new Decimal(amount),
  billAt: month(n),
  periodStart: month(n),
  periodEnd: month(n + 1),
  ...fields,
});
const billed = (n: number, net: number | string, fields: Partial<BilledItem> = {}): BilledItem => ({
  key: `${month(n).toString()} oli_1`,
  invoiceId: `inv_${n}`,
  itemId: null,
  description: 'Seats',
  period: { start: month(n), end: month(n + 1) },
  net: new Decimal(net),
  credited: ZERO,
  isStanding: true,
  ...fields,
});
const plan = (
  lines: OwedLine[],
  items: BilledItem[],
  through: Instant | null = items.length > 0 ? month(items.length - 1) : null,
) =>
  planInvoices({ owed: lines, billed: items, through, now: NOW }).map((invoice) => ({
    date: invoice.billAt.toString().slice(0, 10),
    amount: amountOf(invoice).toFixed(),
    lines: invoice.lines.map(({ subtotal }) => subtotal.toFixed()),
    credits: invoice.credits.map(({ item, amount }) => `${item.invoiceId} ${amount.toFixed()}`),
  }));

describe('what is owed less what is billed', () => {
  it('is staged by date, and nothing twice', () => {
    expect(plan([owed(0, 10), owed(1, 10)], [])).toMatchObject([{ date: '2026-01-01' }, { date: '2026-02-01' }]);
    expect(plan([owed(0, 10), owed(1, 10)], [billed(0, 10)])).toMatchObject([{ date: '2026-02-01', amount: '10' }]);
    expect(plan([owed(0, 10)], [billed(0, 10)])).toEqual([]);
  });

  it('goes on the next invoice where its date is over, more as a line and less as a credit', () => {
    expect(plan([owed(0, 15), owed(1, 10)], [billed(0, 10)])).toMatchObject([
      { date: '2026-02-01', lines: ['10', '5'] },
    ]);
    expect(plan([owed(0, 7), owed(1, 10)], [billed(0, 10)])).toMatchObject([
      { date: '2026-02-01', lines: ['10'], credits: ['inv_0 3'], amount: '7' },
    ]);
  });

  it('is due now where no invoice follows', () => {
    expect(plan([owed(0, 15)], [billed(0, 10)])).toMatchObject([{ date: '2026-06-15', lines: ['5'] }]);
    expect(plan([owed(0, 7)], [billed(0, 10)])).toMatchObject([
      { date: '2026-06-15', lines: [], credits: ['inv_0 3'] },
    ]);
    expect(plan([], [billed(0, 10)])).toMatchObject([{ amount: '-10' }]);
  });

  it('takes nothing back of an invoice that does not stand, and bills nothing of it again', () => {
    const gone = billed(0, 10, { isStanding: false });
    expect(plan([owed(0, 10)], [gone])).toEqual([]);
    expect(plan([], [gone])).toEqual([]);
  });

  it('counts what was taken back, and takes the last back first', () => {
    const twice = [billed(0, 10), billed(0, 5, { invoiceId: 'inv_later' })];
    expect(plan([owed(0, 8)], twice, month(0))).toMatchObject([{ credits: ['inv_later 5', 'inv_0 2'] }]);
    expect(plan([owed(0, 8)], [billed(0, 10, { credited: new Decimal(2) })])).toEqual([]);
  });

  it('lets one wide window count for the narrow ones in its time', () => {
    const wide = billed(0, 30, { period: { start: month(0), end: month(3) } });
    expect(plan([owed(0, 10), owed(1, 10), owed(2, 10), owed(3, 10)], [wide])).toMatchObject([
      { date: '2026-04-01', amount: '10', credits: [] },
    ]);
  });

  it('bears a charge that begins before the last invoice with the next one', () => {
    const other = owed(0, 4, { key: `${month(0).toString()} oli_2` });
    expect(plan([owed(0, 10), owed(1, 10), other], [billed(0, 10)])).toMatchObject([{ lines: ['10', '4'] }]);
  });

  it('comes to what the last contract says, whatever was changed and billed in between', () => {
    const amounts = fc.array(fc.nat(1000), { minLength: 0, maxLength: 12 });
    fc.assert(
      fc.property(fc.array(fc.tuple(amounts, fc.nat(11)), { minLength: 1, maxLength: 6 }), amounts, (changes, last) => {
        let items: BilledItem[] = [];
        let through: Instant | null = null;
        let made = 0;
        const run = (contract: OwedLine[], now: Instant) => {
          for (const invoice of planInvoices({ owed: contract, billed: items, through, now })) {
            if (isAfter(invoice.billAt, now)) continue;
            made += 1;
            if (!invoice.isCorrection) through = invoice.billAt;
            items = items.map((item) => {
              const taken = invoice.credits.filter((credit) => credit.item === item).map(({ amount }) => amount);
              return { ...item, credited: item.credited.plus(sum(taken)) };
            });
            for (const line of invoice.lines)
              items.push({
                ...billed(0, line.subtotal.toFixed()),
                key: line.key,
                invoiceId: `inv_${made}`,
                period: { start: line.periodStart, end: line.periodEnd },
              });
          }
        };
        const contractOf = (all: readonly number[]) => all.map((amount, n) => owed(n, amount));
        for (const [all, n] of changes.toSorted(([, a], [, b]) => a - b)) run(contractOf(all), month(n));
        run(contractOf(last), month(20));
        const net = sum(items.map((item) => item.net.minus(item.credited)));
        expect(net.toNumber()).toBe(last.reduce((a, b) => a + b, 0));
        expect(items.every(({ net, credited }) => credited.gte(0) && credited.lte(net))).toBe(true);
        expect(planInvoices({ owed: contractOf(last), billed: items, through, now: month(21) })).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
