import { describe, expect, it } from 'vitest';
import { feeItem } from '../../../test/support/owed.ts';
import { decimal, plain } from '../../kernel/decimal.ts';
import { WHOLE } from '../../kernel/fraction.ts';
import type { Period } from '../../kernel/time.ts';
import type { OwedCharge } from '../owed/charges.ts';
import type { BilledPrice } from '../terms/billing-terms.ts';
import { type BilledItem, leftOfItem, totalBilled } from './billed.ts';
import { wrongsOf } from './check.ts';
import { compareTime, creditsOf } from './time.ts';

const day = (number: number) => Temporal.Instant.from('2026-04-01T00:00:00Z').add({ hours: 24 * (number - 1) });
const span = (text: string): Period => {
  const [start, end] = text.split('-').map(Number) as [number, number];
  return { start: day(start), end: day(end) };
};
const text = ({ start, end }: Period) =>
  [start, end].map((at) => 1 + Number((at.epochNanoseconds - day(1).epochNanoseconds) / DAY)).join('-');
const DAY = 86_400_000_000_000n;
const USD = { taxBehavior: 'exclusive', currency: 'USD' } as const;

/** `seats 5 1-31`: five seats of April; `since`: taken up again with that time. */
const owed = (said: string): OwedCharge => {
  const [id, quantity, period, since] = said.split(' ') as [string, string, string, string?];
  const price = { id, metric: null, quantity: decimal(quantity), minimumAmount: null, paymentTerm: 'in_advance' };
  return {
    ...{ price: price as unknown as BilledPrice, period: span(period), fraction: WHOLE, spans: [span(period)] },
    ...(since && { since: span(period).start }),
  };
};
const billed = (said: string, net = '30', tax = '0'): BilledItem => {
  const [id, quantity, period] = said.split(' ') as [string, string, string];
  return feeItem(id, span(period), { net, tax, quantity });
};
/** The item after a credit of some of its time. */
const credited = (item: BilledItem, unused: string, net: string, tax = '0'): BilledItem => ({
  ...item,
  credits: [
    ...item.credits,
    {
      ...{
        invoiceId: item.invoiceId,
        priceId: item.priceId,
        chargedFrom: item.period.start,
        chargedTo: item.period.end,
      },
      ...{
        unusedFrom: span(unused).start,
        unusedTo: span(unused).end,
        net: decimal(net),
        tax: decimal(tax),
        correction: null,
      },
    },
  ],
});

describe('time that is owed and time that is billed', () => {
  it.each<{ what: string; owed: string[]; billed: BilledItem[]; due: string[]; unused: string[] }>([
    { what: 'nothing is billed: all is due', owed: ['base 1 1-31'], billed: [], due: ['base 1-31'], unused: [] },
    {
      what: 'all is billed: nothing is due',
      owed: ['base 1 1-31'],
      billed: [billed('base 1 1-31')],
      due: [],
      unused: [],
    },
    {
      what: 'billed up to a cut: the remainder is due',
      owed: ['base 1 1-31'],
      billed: [billed('base 1 1-11')],
      due: ['base 11-31 after 30'],
      unused: [],
    },
    {
      what: 'owed only to an end: the remainder is unused',
      owed: ['base 1 1-11'],
      billed: [billed('base 1 1-31')],
      due: [],
      unused: ['base 11-31'],
    },
    { what: 'not owed at all', owed: [], billed: [billed('base 1 1-31')], due: [], unused: ['base 1-31'] },
    {
      what: 'other seats are another charge',
      owed: ['seats 5 1-11', 'seats 8 11-31'],
      billed: [billed('seats 5 1-31')],
      due: ['seats 11-31'],
      unused: ['seats 11-31'],
    },
    {
      what: 'another price is another charge',
      owed: ['b 1 1-31'],
      billed: [billed('a 1 1-31')],
      due: ['b 1-31'],
      unused: ['a 1-31'],
    },
    {
      what: 'away for a while: the time between is unused',
      owed: ['a 1 1-11', 'a 1 21-31'],
      billed: [billed('a 1 1-31')],
      due: [],
      unused: ['a 11-21'],
    },
    {
      what: 'taken up again after a gap: another interval, of which nothing is billed',
      owed: ['a 1 1-11', 'a 1 21-31 since'],
      billed: [billed('a 1 1-31')],
      due: ['a 21-31'],
      unused: ['a 11-31'],
    },
    {
      what: 'taken up again, and billed since',
      owed: ['a 1 1-11', 'a 1 21-31 since'],
      billed: [credited(billed('a 1 1-31'), '11-31', '20'), billed('a 1 21-31', '10')],
      due: [],
      unused: [],
    },
    {
      what: 'given back and owed again: due again, after what stayed',
      owed: ['a 1 1-31'],
      billed: [credited(billed('a 1 1-31'), '11-31', '20')],
      due: ['a 11-31 after 10'],
      unused: [],
    },
    {
      what: 'half a minor unit stayed: no cent is lost',
      owed: ['a 1 1-31'],
      billed: [credited(billed('a 1 1-31', '99.99'), '16-31', '50')],
      due: ['a 16-31 after 49.99'],
      unused: [],
    },
    {
      what: 'billed twice: the later one is unused',
      owed: ['a 1 1-31'],
      billed: [billed('a 1 1-31'), billed('a 1 1-31')],
      due: [],
      unused: ['a 1-31'],
    },
    { what: 'what is billed once is for no time', owed: [], billed: [billed('setup 1 1-1')], due: [], unused: [] },
  ])('$what', ({ owed: charges, billed: items, due, unused }) => {
    const found = compareTime(charges.map(owed), items, USD);
    const after = (of: (typeof found.due)[number]) =>
      of.before === null ? '' : ` after ${plain(totalBilled(of.before))}`;
    expect(found.due.map((each) => `${each.charge.price.id} ${each.free.map(text).join(' ')}${after(each)}`)).toEqual(
      due,
    );
    expect(found.unused.map(({ item, spans }) => `${item.priceId} ${spans.map(text).join(' ')}`)).toEqual(unused);
  });
});

/* Two fees of 15 for half of April each, and at least 45 for all of it. */
describe('the minimum of a fee that was billed in parts', () => {
  const fee = (said: string, isOpen = false): OwedCharge => {
    const charge = owed(said);
    const price = { ...charge.price, minimumAmount: decimal('45'), paymentTerm: 'in_arrears' } as const;
    return { ...charge, price, ...(isOpen && { isOpen }) };
  };
  const ofType = (item: BilledItem, type: string): BilledItem => ({
    ...item,
    lines: item.lines.map((line) => ({ ...line, type, quantity: decimal('1') })),
    quantity: decimal('1'),
  });
  const withMinimum = (item: BilledItem, minimum: BilledItem): BilledItem => ({
    ...item,
    lines: [...item.lines, ...ofType(minimum, 'minimum').lines],
    net: item.net.plus(minimum.net),
  });
  const [first, second] = [billed('a 5 1-16', '15'), billed('a 5 16-31', '15')];
  const whole = withMinimum(second, billed('a 5 16-31', '15'));

  it.each<{ what: string; of: OwedCharge; billed: BilledItem[]; minimums: string[]; unused?: string[] }>([
    { what: 'is not due while it is open', of: fee('a 5 1-31', true), billed: [first, second], minimums: [] },
    { what: 'is due when it is over', of: fee('a 5 1-31'), billed: [first, second], minimums: ['0'] },
    {
      what: 'is looked at again where a part may have lost it',
      of: fee('a 5 1-31'),
      billed: [first, whole],
      minimums: ['15'],
    },
    {
      what: 'is due anew where a credit took the part that bore it',
      of: fee('a 5 1-16'),
      billed: [first, credited(whole, '16-31', '30')],
      minimums: ['0'],
    },
    {
      what: 'is that of its share of what one item billed',
      of: fee('a 5 1-16'),
      billed: [credited(withMinimum(billed('a 5 1-31'), billed('a 5 1-31', '15')), '16-31', '22.5')],
      minimums: [],
    },
    {
      what: 'counts where it was asked by itself, whatever its own quantity is',
      of: fee('a 5 1-31'),
      billed: [first, second, ofType(billed('a 5 1-31', '15'), 'minimum')],
      minimums: ['15'],
    },
    {
      what: 'asked by itself goes back with its time',
      of: fee('a 5 1-11'),
      billed: [credited(first, '11-16', '5'), ofType(billed('a 5 1-16', '7.5'), 'minimum')],
      minimums: ['5'],
      unused: ['a 11-16'],
    },
  ])('$what', ({ of, billed: items, minimums, unused = [] }) => {
    const found = compareTime([of], items, USD);
    expect(found.due.map(({ free, before }) => `${free.length} ${plain(before?.minimum ?? decimal('0'))}`)).toEqual(
      minimums.map((minimum) => `0 ${minimum}`),
    );
    expect(found.unused.map(({ item, spans }) => `${item.priceId} ${spans.map(text).join(' ')}`)).toEqual(unused);
  });

  it('asked by itself bills no instant twice', () => {
    const minimum = ofType(billed('a 1 1-31', '15'), 'minimum');
    expect(wrongsOf([billed('a 1 1-31', '30'), minimum])).toEqual([]);
    expect(wrongsOf([billed('a 1 1-31', '30'), billed('a 1 1-31', '15')])).toHaveLength(1);
  });
});

it.each([
  {
    what: 'lines that a coupon took whole, whose tax is rounded below 0',
    item: billed('a 1 1-31', '0.01', '-0.01'),
    wrongs: 0,
  },
  {
    what: 'a credit of more tax than there is',
    item: credited(billed('a 1 1-31', '30', '6'), '11-31', '20', '6.01'),
    wrongs: 1,
  },
  {
    what: 'a credit of more than there is',
    item: credited(billed('a 1 1-31', '30', '6'), '11-31', '30.01', '6'),
    wrongs: 1,
  },
  { what: 'a credit of all', item: credited(billed('a 1 1-31', '30', '6'), '1-31', '30', '6'), wrongs: 0 },
])('$what: $wrongs wrong', ({ item, wrongs }) => {
  expect(wrongsOf([item])).toHaveLength(wrongs);
});

describe('a credit of time', () => {
  const credits = (
    item: BilledItem,
    spans: string[],
    quoting: Parameters<typeof creditsOf>[1] = USD,
    isGiven = () => true,
  ) =>
    creditsOf({ item, spans: spans.map(span) }, quoting, isGiven).map(
      ({ net, tax }) => `${plain(net)} + ${plain(tax)}`,
    );

  it.each([
    {
      what: 'all of it is its mirror',
      item: billed('a 1 1-31', '84.03', '15.96'),
      unused: ['1-31'],
      given: ['84.03 + 15.96'],
    },
    {
      what: 'a part is its share, of its own tax, too',
      item: billed('a 1 1-31', '30', '6'),
      unused: ['11-31'],
      given: ['20 + 4'],
    },
    { what: 'two parts', item: billed('a 1 1-31', '30', '6'), unused: ['1-6', '11-31'], given: ['5 + 1', '20 + 4'] },
    {
      what: 'the last part is all that is left',
      item: credited(billed('a 1 1-31', '99.99', '19'), '16-31', '50', '9.5'),
      unused: ['1-16'],
      given: ['49.99 + 9.5'],
    },
    {
      what: 'tax that is left when the net amount is gone',
      item: credited(billed('a 1 1-31', '0.01', '0.01'), '16-31', '0.01'),
      unused: ['1-16'],
      given: ['0 + 0.01'],
    },
    { what: 'nothing was billed: nothing is given', item: billed('a 1 1-31', '0'), unused: ['1-31'], given: [] },
  ])('$what', ({ item, unused, given }) => {
    expect(credits(item, unused)).toEqual(given);
  });

  it('of an inclusive price is the share of its gross amount', () => {
    // 99.99 with 19 % inside; 25 of 31 days would be 80.637…; here 20 of 30 days: 66.66, with 10.64 of tax.
    expect(credits(billed('a 1 1-31', '84.03', '15.96'), ['11-31'], { ...USD, taxBehavior: 'inclusive' })).toEqual([
      '56.02 + 10.64',
    ]);
  });

  it('is given only of time for which it is to be given', () => {
    expect(credits(billed('a 1 1-31'), ['11-31'], USD, () => false)).toEqual([]);
  });

  it('is never above what is left', () => {
    const item = credited(billed('a 1 1-31', '30', '6'), '21-31', '25', '5');
    expect(Object.values(leftOfItem(item)).map(plain)).toEqual(['5', '1']);
    expect(credits(item, ['6-21'])).toEqual(['5 + 1']);
  });
});
