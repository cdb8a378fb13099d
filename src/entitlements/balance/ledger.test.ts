import { describe, expect, it } from 'vitest';
import { decimal, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { Ledger } from './ledger.ts';
import type { BalanceGrant, Moment } from './model.ts';
import { grant, on } from './testing/given.ts';
import { finish } from './turns.ts';

/** `3/2/1`: 3 left, 2 burned, 1 of it since the balance was last set. */
function burnt(overage: string, ...lots: string[]): Ledger {
  const ledger = new Ledger();
  ledger.overage = decimal(overage);
  for (const [index, text] of lots.entries()) {
    const [balance, burned, returnable] = text.split('/').map(decimal) as [typeof ZERO, typeof ZERO, typeof ZERO];
    ledger.lots.addGrant(grant(`grt_${index}`), { balance, burned, returnable });
  }
  return ledger;
}
const figures = ({ lots, overage }: Ledger) =>
  [plain(overage), ...lots.all.map((each) => [each.balance, each.burned, each.returnable].map(plain).join('/'))].join(
    ' ',
  );
const burnedOf = ({ lots }: Ledger) => sum(lots.all.map(({ burned }) => burned));

describe('usage', () => {
  it.each([
    { what: 'is burned in order', given: burnt('0', '3/0/0', '5/0/0'), usage: '4', left: '0 0/3/3 4/1/1' },
    { what: 'waits where nobody covers it', given: burnt('0', '3/0/0'), usage: '4', left: '1 0/3/3' },
    { what: 'adds to what waits', given: burnt('2', '0/3/3'), usage: '4', left: '6 0/3/3' },
    { what: 'that waits is burned with it', given: burnt('2', '5/0/0'), usage: '1', left: '0 2/3/3' },
    { what: 'takes the credit first', given: burnt('-3', '5/0/0'), usage: '4', left: '0 4/1/1' },
    { what: 'leaves what it does not take of the credit', given: burnt('-3', '5/0/0'), usage: '2', left: '-1 5/0/0' },
    { what: 'below 0 lowers what waits', given: burnt('3', '0/5/5'), usage: '-2', left: '1 0/5/5' },
    {
      what: 'below 0 is given back, last burned first',
      given: burnt('1', '0/5/5', '0/4/4'),
      usage: '-6',
      left: '0 1/4/4 4/0/0',
    },
    {
      what: 'below 0 gives back only what was burned since',
      given: burnt('0', '1/9/2', '0/4/1'),
      usage: '-9',
      left: '-6 3/7/0 1/3/0',
    },
    { what: 'of nothing changes nothing', given: burnt('0', '1/9/2'), usage: '0', left: '0 1/9/2' },
  ])('$what: $usage', ({ given, usage, left }) => {
    const before = burnedOf(given);
    finish(given.use(decimal(usage)));
    expect(figures(given)).toBe(left);
    expect(plain(given.used)).toBe(plain(decimal(usage)));
    expect(plain(given.flows.consumed)).toBe(plain(burnedOf(given).minus(before)));
    expect(plain(given.lots.remaining)).toBe(plain(sum(given.lots.all.map(({ balance }) => balance))));
    expect(plain(given.lots.returnable)).toBe(plain(sum(given.lots.all.map(({ returnable }) => returnable))));
  });
});

const at = on('2026-02-01');
const moment = (given: Partial<Moment>): Moment => ({
  ...{ at, reset: null, ending: new Set<string>(), recurring: new Set<string>(), starting: [] },
  ...given,
});
const reset = (preserveOverage = false) => ({ at, preserveOverage });

function ledger(overage: string, ...grants: [BalanceGrant, string][]): Ledger {
  const made = new Ledger();
  made.overage = decimal(overage);
  made.used = decimal('50');
  made.flows.granted = sum(grants.map(([, balance]) => decimal(balance)));
  for (const [each, balance] of grants)
    made.lots.addGrant(each, { balance: decimal(balance), burned: ZERO, returnable: ZERO });
  return made;
}
const shown = ({ lots, overage, used, flows }: Ledger) => {
  const moved = Object.entries(flows).filter(([, value]) => !value.isZero());
  return [
    lots.all.map((each) => `${each.grant.id} ${plain(each.balance)}`).join(', '),
    `overage ${plain(overage)} used ${plain(used)}`,
    moved.map(([name, value]) => `${name} ${plain(value)}`).join(', '),
  ].join('; ');
};

const a = grant('a', { expires: '2026-02-01' });
const voided = grant('a', { expires: '2026-03-01', voided: '2026-02-01' });
const bounded = grant('b', { min: '4', max: '8' });
const recurring = grant('c', { amount: '10', recurs: 'P1M', max: '0' });
const fresh = grant('n', { amount: '20', from: '2026-02-01' });
const urgent = grant('u', { amount: '5', priority: -1, from: '2026-02-01' });

describe('at one instant', () => {
  it.each([
    {
      what: 'a grant expires',
      given: ledger('0', [a, '7']),
      moment: { ending: new Set(['a']) },
      after: '; overage 0 used 50; granted 7, expired 7',
    },
    {
      what: 'a grant is voided',
      given: ledger('0', [voided, '7']),
      moment: { ending: new Set(['a']) },
      after: '; overage 0 used 50; granted 7, voided 7',
    },
    {
      what: 'a balance is lowered to its bound',
      given: ledger('0', [bounded, '9']),
      moment: { reset: reset() },
      after: 'b 8; overage 0 used 0; granted 9, dropped 1',
    },
    {
      what: 'a balance is raised to its bound',
      given: ledger('3', [bounded, '0']),
      moment: { reset: reset() },
      after: 'b 4; overage 0 used 0; granted 4',
    },
    {
      what: 'a balance within its bounds stays',
      given: ledger('0', [bounded, '5']),
      moment: { reset: reset() },
      after: 'b 5; overage 0 used 0; granted 5',
    },
    {
      what: 'it expires before it could roll over',
      given: ledger('0', [a, '7']),
      moment: { reset: reset(), ending: new Set(['a']) },
      after: '; overage 0 used 0; granted 7, expired 7',
    },
    {
      what: 'it rolls over before it recurs',
      given: ledger('0', [recurring, '7']),
      moment: { reset: reset(), recurring: new Set(['c']) },
      after: 'c 10; overage 0 used 0; granted 17, dropped 7',
    },
    {
      what: 'what recurs loses what is unused',
      given: ledger('0', [recurring, '7']),
      moment: { recurring: new Set(['c']) },
      after: 'c 10; overage 0 used 50; granted 17, dropped 7',
    },
    {
      what: 'what recurs covers what waits',
      given: ledger('3', [recurring, '0']),
      moment: { recurring: new Set(['c']) },
      after: 'c 7; overage 0 used 50; granted 10, consumed 3',
    },
    {
      what: 'a new grant covers what waits',
      given: ledger('3'),
      moment: { starting: [fresh] },
      after: 'n 17; overage 0 used 50; granted 20, consumed 3',
    },
    {
      what: 'a new grant leaves credit alone',
      given: ledger('-3'),
      moment: { starting: [fresh] },
      after: 'n 20; overage -3 used 50; granted 20',
    },
    {
      what: 'preserved overage is burned in burn order, after all were activated',
      given: ledger('7', [bounded, '0']),
      moment: { reset: reset(true), starting: [fresh, urgent] },
      after: 'u 0, b 2, n 20; overage 0 used 0; granted 29, consumed 7',
    },
    {
      what: 'credit is not preserved',
      given: ledger('-7'),
      moment: { reset: reset(true) },
      after: '; overage 0 used 0; ',
    },
    {
      what: 'what is used up for ever is put away at a reset',
      given: ledger('0', [grant('a'), '0']),
      moment: { reset: reset() },
      after: '; overage 0 used 0; ',
    },
  ])('$what', ({ given, moment: happening, after: expected }) => {
    finish(given.apply(moment(happening)));
    expect(shown(given)).toBe(expected);
  });
});

it.each([
  { what: 'a reset', happening: { reset: reset() }, concerned: true },
  { what: 'a start', happening: { starting: [fresh] }, concerned: true },
  { what: 'the end of a grant that stands', happening: { ending: new Set(['a']) }, concerned: true },
  { what: 'a recurrence of a grant that stands', happening: { recurring: new Set(['a']) }, concerned: true },
  { what: 'the end of one that was put away', happening: { ending: new Set(['z']) }, concerned: false },
])('what stands is concerned by $what: $concerned', ({ happening, concerned }) => {
  expect(ledger('0', [a, '7']).isConcernedBy(moment(happening))).toBe(concerned);
});
