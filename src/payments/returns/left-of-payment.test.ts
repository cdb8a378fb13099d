import { expect, it } from 'vitest';
import { decimal, plain, ZERO } from '../../kernel/decimal.ts';
import { leftOfGone, leftOfPayment } from './left-of-payment.ts';

it.each([
  { overpaid: '0', disputed: '0', outside: '0', left: ['10', '0', '0'] },
  { overpaid: '0', disputed: '4', outside: '0', left: ['6', '4', '0'] },
  { overpaid: '0', disputed: '3', outside: '4', left: ['3', '3', '4'] },
  { overpaid: '0', disputed: '10', outside: '4', left: ['0', '10', '0'] },
  { overpaid: '0', disputed: '14', outside: '0', left: ['0', '10', '0'] },
  { overpaid: '4', disputed: '5', outside: '3', left: ['0', '5', '1'] }, // the 4 are in the wallet
])(
  'of 10, $overpaid too much, after $disputed and $outside were taken: $left',
  ({ overpaid, disputed, outside, left }) => {
    const taken = { disputed: decimal(disputed), outside: decimal(outside) };
    const found = leftOfPayment({ amount: decimal('10'), overpaid: decimal(overpaid) }, taken);
    expect([found.returned, found.disputed, found.outside].map(plain)).toEqual(left);
    // Gone with these parts left there, it covers the same, and what is taken later is nothing that it left.
    const gone = leftOfGone({ lessDisputed: found.disputed, lessOutside: found.outside }, taken);
    expect([gone.returned, gone.disputed, gone.outside].map(plain)).toEqual(['0', left[1], left[2]]);
    const all = leftOfGone({ lessDisputed: ZERO, lessOutside: ZERO }, taken);
    expect([all.returned, all.disputed, all.outside].map(plain)).toEqual(['0', '0', '0']);
  },
);
