import { describe, expect, it } from 'vitest';
import { decimal, plain } from '../../kernel/decimal.ts';
import {
  addBilled,
  billedTime,
  billedUsage,
  itemsOf,
  leftOfItem,
  type StoredCredit,
  type StoredLine,
  timeOfItem,
  totalBilled,
} from './billed.ts';

const day = (number: number) => Temporal.Instant.from('2026-04-01T00:00:00Z').add({ hours: 24 * (number - 1) });
const line = (type: string, net: string, more: Partial<StoredLine> = {}): StoredLine => ({
  ...{
    invoiceId: 'first',
    invoiceEnd: day(31),
    status: 'ISSUED',
    isRefunded: false,
    priceId: 'calls',
    feeId: null,
    type,
    displayName: 'Calls',
  },
  ...{ quantity: decimal('1'), unitPrice: decimal(net), net: decimal(net), tax: decimal('0') },
  ...{ taxRate: decimal('20'), currency: 'USD' },
  ...{ periodStart: day(1), periodEnd: day(31), group: null, tiers: null, workings: null },
  ...more,
});
const credit = (net: string, more: Partial<StoredCredit> = {}): StoredCredit => ({
  ...{
    invoiceId: 'first',
    priceId: 'calls',
    chargedFrom: day(1),
    chargedTo: day(31),
    unusedFrom: day(11),
    unusedTo: day(31),
  },
  ...{ net: decimal(net), tax: decimal('0'), correction: null },
  ...more,
});
const correction = { quantity: '-2', charge: '-20', discount: '2', maximum: '0', minimum: '0' };

describe('the items of lines', () => {
  it('are one for each invoice, price and service interval, in the order of billing', () => {
    const items = itemsOf(
      [
        ...[line('charge', '10'), line('adjustment', '-1'), line('charge', '5', { priceId: 'base', feeId: 'fee' })],
        ...[
          line('charge', '7', { periodStart: day(31), periodEnd: day(61) }),
          line('charge', '3', { invoiceId: 'second' }),
        ],
      ],
      [],
    );
    expect(items.map(({ invoiceId, priceId, net, isFee }) => `${invoiceId} ${priceId} ${plain(net)} ${isFee}`)).toEqual(
      ['first calls 9 false', 'first base 5 true', 'first calls 7 false', 'second calls 3 false'],
    );
  });

  it.each([
    { status: 'DRAFT', isRefunded: false, stands: true },
    { status: 'ISSUED', isRefunded: false, stands: true },
    { status: 'PAYMENT_FAILED', isRefunded: false, stands: true },
    { status: 'PAID', isRefunded: false, stands: true },
    { status: 'PAID', isRefunded: true, stands: false },
    { status: 'WRITTEN_OFF', isRefunded: false, stands: false },
    { status: 'CANCELLED', isRefunded: false, stands: false },
  ])('of $status (refunded: $isRefunded) stand: $stands', ({ stands, ...of }) => {
    expect(itemsOf([line('charge', '10', of)], [])[0]?.isStanding).toBe(stands);
  });

  it('do not hold what a cancelled invoice took back', () => {
    const status = 'CANCELLED';
    const items = itemsOf([line('charge', '10', { status }), line('late_usage', '-4', { status })], []);
    expect(items.map(({ net }) => plain(net))).toEqual(['10']);
  });

  /** A correction of 100.00 at 25 % off, of which a total of 0 cut 60.00: credit notes have 80 % of it. */
  it.each([
    { what: 'issued', isRefunded: false, charge: '-100', discount: '25', net: '-15' },
    { what: 'refunded', isRefunded: true, charge: '-80', discount: '20', net: '0' },
  ])('of an invoice that is $what count a correction of $charge and $discount', ({ isRefunded, ...counted }) => {
    const late = line('late_usage', '-40', { isRefunded, workings: { cut: '-60' } });
    const items = itemsOf([late, line('adjustment', '25', { isRefunded })], []);
    const { charges, discount } = billedUsage(items, 'exclusive', true);
    expect([charges[0]?.amount, discount, items[0]?.net].map((each) => each && plain(each))).toEqual([
      counted.charge,
      counted.discount,
      counted.net,
    ]);
  });

  it('have left what no credit took back, in amount and in time', () => {
    const [item] = itemsOf([line('charge', '30', { tax: decimal('6') })], [credit('20', { tax: decimal('4') })]);
    if (!item) throw new Error('There is an item.');
    expect(Object.values(leftOfItem(item)).map(plain)).toEqual(['10', '2']);
    expect(timeOfItem(item)).toEqual([{ start: day(1), end: day(11) }]);
  });

  it('keep their time where a credit is a correction', () => {
    const [item] = itemsOf([line('charge', '30')], [credit('20', { correction })]);
    if (!item) throw new Error('There is an item.');
    expect(timeOfItem(item)).toEqual([{ start: day(1), end: day(31) }]);
  });
});

describe('what is billed of a charge', () => {
  const billed = (lines: StoredLine[], credits: StoredCredit[] = [], isAddedUp = true) =>
    billedUsage(itemsOf(lines, credits), 'exclusive', isAddedUp);

  it('is added up kind by kind, over several invoices', () => {
    const { charges, discount, maximum, minimum, granted } = billed([
      ...[line('charge', '10', { quantity: decimal('4') }), line('grants', '0', { quantity: decimal('3') })],
      ...[line('adjustment', '-1'), line('maximum', '-2')],
      ...[
        line('charge', '5', { invoiceId: 'second', quantity: decimal('2') }),
        line('minimum', '6', { invoiceId: 'second' }),
      ],
    ]);
    expect(charges.map(({ quantity, amount }) => [quantity, amount].map(plain))).toEqual([['6', '15']]);
    expect([discount, maximum, minimum, granted].map(plain)).toEqual(['-1', '-2', '6', '3']);
  });

  it('is added up group by group', () => {
    const eu = { group: { region: 'eu' } };
    const { charges } = billed([
      line('charge', '10', eu),
      line('charge', '4', { group: { region: 'us' } }),
      line('charge', '1', eu),
    ]);
    expect(charges.map(({ group, amount }) => `${group.region} ${plain(amount)}`)).toEqual(['eu 11', 'us 4']);
  });

  it('of late usage is its charge without the limits in it', () => {
    const late = line('late_usage', '8', { workings: { late: { maximum: '-3', minimum: '1' } } });
    const { charges, maximum, minimum } = billed([line('charge', '10'), late]);
    expect([charges[0]?.amount ?? decimal('0'), maximum, minimum].map(plain)).toEqual(['20', '-3', '1']);
  });

  it('holds corrections that were credited', () => {
    const found = billed([line('charge', '30', { quantity: decimal('3') })], [credit('18', { correction })]);
    expect(
      [found.charges[0]?.quantity, found.charges[0]?.amount, found.discount].map((each) => plain(each ?? decimal('0'))),
    ).toEqual(['1', '10', '2']);
    expect(plain(totalBilled(found))).toBe('12');
  });

  it.each(['cut', 'lost'] as const)('is what was asked, with what a total of 0 %s', (name) => {
    expect(
      plain(totalBilled(billed([line('charge', '10'), line('charge', '-4', { workings: { [name]: '-3' } })]))),
    ).toBe('3');
  });

  it('of a figure that does not add up is the last one', () => {
    const lines = [
      line('charge', '10', { quantity: decimal('5') }),
      line('charge', '2', { invoiceId: 'b', quantity: decimal('6') }),
    ];
    expect(plain(billed(lines, [], false).charges[0]?.quantity ?? decimal('0'))).toBe('6');
    expect(plain(billed(lines, [], true).charges[0]?.quantity ?? decimal('0'))).toBe('11');
  });

  it('of an inclusive price is its gross amount', () => {
    const items = itemsOf([line('charge', '84.03', { tax: decimal('15.96') })], []);
    expect(plain(totalBilled(billedUsage(items, 'inclusive', true)))).toBe('99.99');
  });

  it('for a part of its time is a share of each kind', () => {
    const [item] = itemsOf([line('charge', '30'), line('adjustment', '-3'), line('minimum', '12')], []);
    if (!item) throw new Error('There is an item.');
    const third = billedTime(item, (amount) => amount.div(3), 'exclusive');
    expect([third.charges[0]?.amount ?? decimal('0'), third.discount, third.minimum].map(plain)).toEqual([
      '10',
      '-1',
      '4',
    ]);
    expect(plain(totalBilled(addBilled(third, third)))).toBe('26');
  });
});
