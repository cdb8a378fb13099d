import { describe, expect, it } from 'vitest';
import { decimal, plain, sum, type ZERO } from '../../kernel/decimal.ts';
import { cover, EMPTY, type Ledger, use } from './burn.ts';
import { grant } from './testing/given.ts';

/** `3/2/1`: 3 left, 2 burned, 1 of it since the balance was last set. */
const ledger = (overage: string, ...holdings: string[]): Ledger => ({
  ...EMPTY,
  overage: decimal(overage),
  holdings: holdings.map((text, index) => {
    const [balance, burned, returnable] = text.split('/').map(decimal) as [typeof ZERO, typeof ZERO, typeof ZERO];
    return { grant: grant(`grt_${index}`), balance, burned, returnable };
  }),
});
const shown = ({ holdings, overage }: Ledger) =>
  [plain(overage), ...holdings.map((each) => [each.balance, each.burned, each.returnable].map(plain).join('/'))].join(
    ' ',
  );

describe('usage', () => {
  it.each([
    { what: 'is burned in order', given: ledger('0', '3/0/0', '5/0/0'), usage: '4', left: '0 0/3/3 4/1/1' },
    { what: 'waits where nobody covers it', given: ledger('0', '3/0/0'), usage: '4', left: '1 0/3/3' },
    { what: 'adds to what waits', given: ledger('2', '0/3/3'), usage: '4', left: '6 0/3/3' },
    { what: 'that waits is burned with it', given: ledger('2', '5/0/0'), usage: '1', left: '0 2/3/3' },
    { what: 'takes the credit first', given: ledger('-3', '5/0/0'), usage: '4', left: '0 4/1/1' },
    { what: 'leaves what it does not take of the credit', given: ledger('-3', '5/0/0'), usage: '2', left: '-1 5/0/0' },
    { what: 'below 0 lowers what waits', given: ledger('3', '0/5/5'), usage: '-2', left: '1 0/5/5' },
    {
      what: 'below 0 is given back, last burned first',
      given: ledger('1', '0/5/5', '0/4/4'),
      usage: '-6',
      left: '0 1/4/4 4/0/0',
    },
    {
      what: 'below 0 gives back only what was burned since',
      given: ledger('0', '1/9/2', '0/4/1'),
      usage: '-9',
      left: '-6 3/7/0 1/3/0',
    },
    { what: 'of nothing changes nothing', given: ledger('0', '1/9/2'), usage: '0', left: '0 1/9/2' },
  ])('$what: $usage', ({ given, usage, left }) => {
    const used = use(given, decimal(usage));
    expect(shown(used)).toBe(left);
    expect(plain(used.used)).toBe(plain(decimal(usage)));
    const burnedOf = ({ holdings }: Ledger) => sum(holdings.map(({ burned }) => burned));
    expect(plain(used.flows.consumed)).toBe(plain(burnedOf(used).minus(burnedOf(given))));
  });
});

it('covering takes from balances in their order, and says what is left uncovered', () => {
  const { holdings, rest } = cover(ledger('0', '3/1/1', '2/0/0').holdings, decimal('6'));
  expect(holdings.map(({ balance, burned }) => `${plain(balance)} ${plain(burned)}`)).toEqual(['0 4', '0 2']);
  expect(plain(rest)).toBe('1');
});
