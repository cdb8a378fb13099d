import { type Exact, exact, minus, plus, read, times } from '../support/exact.ts';
import type { Resource } from '../support/shop.ts';
import type { Lived } from './drive.ts';
import type { Dice } from './generate.ts';
import { DAY, DIGITS, type Life, type Of, type Step } from './life.ts';
import type { Owed } from './owed.ts';

/** The same life with commitments over a term beside some of its subscriptions. */
export function withCommitments(life: Life, dice: Dice): Life {
  let now = 0;
  const amount = (units: number) =>
    life.currency === 'JPY' ? String(units) : (units + dice.between(0, 99) / 100).toFixed(2);
  const commitTo = (sub: string): Step => {
    const parts = dice.of(1, 1, 2, 3);
    let at = now;
    const ends = Array.from({ length: parts - 1 }, () => {
      at += dice.between(1, 50) * DAY + dice.of(0, 0, 3_600);
      return at;
    });
    return {
      do: 'commit',
      sub,
      ends,
      amounts: Array.from({ length: parts }, () => amount(dice.of(0, 30, 300, 3_000, 30_000))),
      ...(dice.once(4) && { prices: life.prices.flatMap((_, price) => (dice.once(2) ? [price] : [])) }),
    };
  };
  const steps = life.steps.flatMap((step): Step[] => {
    if (step.do === 'advance') now = step.to;
    return step.do === 'subscribe' && dice.once(2) ? [step, commitTo(step.sub)] : [step];
  });
  return { ...life, steps };
}

/** From when on a commitment of a life holds: before anything is owed. */
export const committedFrom = ({ startedAt }: Pick<Of<'subscribe'>, 'startedAt'>, now: number): number =>
  Math.min(startedAt, now) - DAY;

/** Until when: long after the life. */
export const COMMITTED_FOR = 3_000 * DAY;

/**
 * What is missing to a commitment (commercial.md §4). It holds for all of the life, and the end of its subscription
 * ends it: so its subscription is asked what it owes less than the amount, whatever happened. An invoice that was given
 * back is not spent, which what is owed does not say.
 */
export function trueUpsAreOwed(life: Life, lived: Lived, owed: readonly Owed[]): string[] {
  if (life.taxBehavior === 'inclusive') return []; // it is net of tax, and what is owed is not
  const unit = exact(10n ** BigInt(DIGITS[life.currency]));
  const minor = (text: string): Exact => {
    const amount = times(read(text.replace('-', '')), unit);
    return text.startsWith('-') ? minus(exact(0n), amount) : amount;
  };
  const total = (all: readonly Exact[]) => all.reduce(plus, exact(0n));
  return lived.commitments.flatMap(({ step, commitment }) => {
    const id = lived.subscriptionIds.get(step.sub);
    const invoices = lived.invoices.filter(({ subscriptionId }) => subscriptionId === id);
    const own = owed.filter(
      ({ sub, price }) =>
        sub === step.sub && (step.prices === undefined || (typeof price === 'number' && step.prices.includes(price))),
    );
    const off = owed.some(({ sub, price, amount }) => sub === step.sub && price === 'coupon' && amount.over !== 0n);
    const isSkipped =
      isGivenBack(lived, invoices) || own.some(({ isOpen }) => isOpen) || (step.prices !== undefined && off);
    if (isSkipped || lived.neverActive.has(step.sub)) return [];
    const amount = total(step.amounts.map(minor));
    const missing = minus(amount, total(own.map((each) => each.amount)));
    const should = missing.over > 0n ? missing : exact(0n);
    const lines = invoices.flatMap((invoice) =>
      invoice.lines
        .filter(({ commitmentId }: Resource) => commitmentId === commitment.id)
        .map((line: Resource) => ({ line, invoice })),
    );
    const is = total(lines.map(({ line }) => minor(line.totalPrice)));
    const spent = total(commitment.segments.map((segment: Resource) => minor(segment.spent)));
    const said = minus(amount, spent);
    const tolerance = BigInt(own.reduce((sum, { roundings }) => sum + roundings, 0));
    const isOff = (one: Exact, other: Exact): boolean => {
      const { over, under } = minus(one, other);
      return over > tolerance * under || -over > tolerance * under;
    };
    const text = ({ over, under }: Exact) => (Number((over * 1_000n) / under) / 1_000).toFixed(3);
    const name = `true-up: ${step.sub} committed to ${step.amounts.join(' + ')}`;
    const asked = lines.map(({ line, invoice }) => `${line.totalPrice} on ${invoice.kind} ${invoice.periodEnd}`);
    return [
      ...(isOff(is, should)
        ? [`${name} was asked ${text(is)} (${asked.join(', ')}), and is missing ${text(should)} (minor units)`]
        : []),
      ...(isOff(said, missing) ? [`${name} says that ${text(spent)} is spent, so ${text(said)} is missing`] : []),
    ];
  });
}

/** Is an invoice refunded or cancelled, or did it fail? */
const isGivenBack = ({ notes }: Lived, invoices: readonly Resource[]): boolean =>
  invoices.some(
    ({ id, status, lines }) =>
      status === 'FAILED' ||
      (status === 'CANCELLED' && lines.length > 0) ||
      notes.some((note) => note.invoiceId === id && note.kind !== 'credit' && note.kind !== 'partial'),
  );
