import { describe, expect, it } from 'vitest';
import { decimal, sum } from '../kernel/decimal.ts';
import { LOCALES } from '../kernel/locale.ts';
import { billTable, type PageLine } from './bill.ts';

const usage = (count: number): PageLine[] =>
  Array.from({ length: count }, (_, index) => ({
    kind: 'usage',
    description: `Line ${index + 1}.`,
    amount: decimal(`${index + 1}.25`),
  }));
const fee: PageLine = { kind: 'fee', description: 'Seats', amount: decimal('140') };
const totals = (amount: string) => [
  { label: 'Subtotal', amount: decimal(amount) },
  { label: 'VAT 19% on all', amount: decimal('9') },
  { label: 'Total', amount: decimal(amount).plus(9), isStrong: true },
];
const draw = (lines: readonly PageLine[], locale: (typeof LOCALES)[number] = 'en') =>
  billTable(locale, { currency: 'EUR', lines, totals: totals('1') }).text;
/** What is seen before a fold is opened. */
const seen = (text: string) => text.replace(/<table>(?:(?!<table)[\s\S])*<\/table><\/details>/g, '');
const amounts = (text: string) =>
  [...text.matchAll(/€([\d,.]+)/g)].map(([, figure = '']) => decimal(figure.replace(',', '')));

describe('the lines of a bill', () => {
  it.each([1, 12, 15])('%d are all shown', (count) => {
    expect(draw(usage(count))).not.toContain('<details');
  });

  it.each([16, 17, 60, 201])('of %d, twelve are shown, and the fold says what the others come to', (count) => {
    const lines = usage(count);
    const text = draw(lines);
    expect(text).toContain(`<span>${count - 12} more lines</span>`);
    const [above = ''] = seen(text).split('class="totals"');
    expect(sum(amounts(above)).toFixed(2)).toBe(sum(lines.map(({ amount }) => amount)).toFixed(2));
    for (const { description } of lines) expect(text.split(description)).toHaveLength(2);
  });

  it('never fold the subtotal, a tax or the total', () => {
    for (const label of ['Subtotal', 'VAT 19% on all', 'Total']) expect(seen(draw(usage(60)))).toContain(label);
  });

  it('begin with fees, and end with what is about the bill as a whole; a discount stays behind its line', () => {
    const text = draw([
      { kind: 'whole', description: 'Minimum commitment', amount: decimal('5') },
      ...usage(1),
      { kind: 'part', description: 'Rebate', amount: decimal('-1') },
      fee,
    ]);
    const places = ['Seats', 'Line 1.', 'Rebate', 'Minimum commitment'].map((name) => text.indexOf(name));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places).not.toContain(-1);
  });

  it('say by what usage was billed apart, and how the amount came about', () => {
    const [line] = usage(1) as [PageLine];
    const text = draw([
      { ...line, group: { kind: 'output', model: null }, calculation: '2 tokens × €3.00', notes: ['1 included'] },
    ]);
    for (const part of ['kind: output · model: –', '2 tokens × €3.00', '1 included'])
      expect(text).toContain(`>${part}<`);
  });

  it.each(LOCALES)('are counted in %s', (locale) => {
    expect(draw(usage(16), locale)).toMatch(/<span>4 (more lines|weitere Positionen|autres lignes|líneas más)</);
  });
});
