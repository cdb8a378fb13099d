import { describe, expect, it } from 'vitest';
import { isMoneyName, moneyInNumbers, waysAroundDecimal } from '../../scripts/checks/money.ts';
import { type Exceptions, projectFiles, report } from '../../scripts/checks/project.ts';

const files = projectFiles();

const RAW_JSON: Exceptions = {
  'src/customers/customer-row.ts': 'the map as it stands in JSON: numbers whose text is kept, read by readTaxRates',
  'src/customers/tax-rates.ts': 'reads and writes that map; on the wire a rate is a JSON number with all its digits',
  'src/subscriptions/subscription/quantities.ts':
    'how many of a fee: whole numbers of at most 12 digits, JSON numbers in their column',
};

describe('the domains', () => {
  it('keep money, credits and usage out of numbers', () => {
    expect(report(moneyInNumbers(files), RAW_JSON)).toEqual([]);
  });

  it('have one decimal: the kernel’s', () => {
    expect(report(waysAroundDecimal(files))).toEqual([]);
  });
});

describe('these checks see', () => {
  const inDomain = (text: string) => [{ path: 'src/tax/a.ts', text }];

  it.each([
    'interface Line { amount: number }',
    'interface Line { readonly unitPrice?: number | null }',
    'type Shares = { taxAmounts: readonly number[] };',
    'const add = (balance: number) => balance;',
    'function add({ quantity }: { quantity: number }) {}',
    'class Line { total: number; }',
    'class Line { get total(): number { return 1; } }',
    'const lineTotal = (line: Line): number => 1;',
    'function taxRate(line: Line): number { return 1; }',
    'let subtotal = 0;',
    'const add = (credits = 0) => credits;',
    'const Line = Type.Object({ amount: Type.Number() });',
    'const Line = Type.Object({ quantity: Type.Integer() });',
    'const cents = Number(line.amount);',
    'const cents = Number(plain(amount));',
    'const cents = Math.round(price * 100);',
    'const cents = +amount;',
    'const cents = decimals.toNumber();',
    "const cents = parseInt(body['tax'], 10);".replace("body['tax']", 'body.tax'),
  ])('a number in: %s', (text) => {
    expect(report(moneyInNumbers(inDomain(text)))).toHaveLength(1);
    expect(report(moneyInNumbers([{ path: 'src/http/a.ts', text }]))).toEqual([]);
  });

  it.each([
    'interface Line { amount: Decimal }',
    'interface Page { rows: Line[]; total: number }',
    'interface Progress { done: number; total: number }',
    'const Page = Type.Object({ limit: Type.Integer(), offset: Type.Integer(), total: Type.Integer() });',
    'interface Settings { lateUsageDays: number }',
    'const MOST_PRICES = 200;',
    'const ORDER = { credit: 0, other: 1 };',
    'const add = (price: { position: number }) => price;',
    'const digits = Math.max(2, amount.decimalPlaces());',
    'const eventCount = Number(row.event_count);',
    'const amount = decimal(text);',
  ])('no number in: %s', (text) => expect(report(moneyInNumbers(inDomain(text)))).toEqual([]));

  it.each([
    { path: 'src/tax/a.ts', text: "import { Decimal } from 'decimal.js';" },
    { path: 'src/kernel/money.ts', text: "import Decimal from 'decimal.js';" },
    { path: 'src/kernel/money.ts', text: 'const amount = parseFloat(text);' },
    { path: 'src/http/a.ts', text: 'const amount = Number.parseFloat(text);' },
  ])('a way around the kernel’s decimal in $path: $text', ({ path, text }) => {
    expect(report(waysAroundDecimal([{ path, text }]))).toHaveLength(1);
  });

  it('the one file that may load the library', () => {
    expect(waysAroundDecimal([{ path: 'src/kernel/decimal.ts', text: "import 'decimal.js';" }])).toEqual([]);
  });

  it.each([
    { name: 'amount', money: true },
    { name: 'line_total', money: true },
    { name: 'unitPrices', money: true },
    { name: 'taxRate', money: true },
    { name: 'rate', money: false },
    { name: 'priceId', money: false },
    { name: 'usageDays', money: false },
    { name: 'mostPrices', money: false },
  ])('$name as money: $money', ({ name, money }) => expect(isMoneyName(name)).toBe(money));
});
