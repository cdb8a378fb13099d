import { Decimal, decimal, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { allocate, roundTo } from '../../kernel/money.ts';
import { isBefore, type Period } from '../../kernel/time.ts';
import { withTax } from '../credit-notes/unused-credit.ts';
import { type BilledItem, leftOfBills } from '../difference/billed.ts';
import type { DueCharge } from '../difference/due.ts';
import type { FrozenCredit, FrozenCredits, FrozenRival } from '../invoice/frozen-terms.ts';
import { type Burnt, burn, type Spending, spendingsOf } from '../owed/burn.ts';
import type { CalculatedLine, CalculationInput, DraftLine, OtherLine } from './calculation.ts';
import type { DraftsOfDue } from './commitment-lines.ts';
import { spentKey } from './due-lines.ts';
import { otherDraft, PLAIN_LINE, underLine } from './line-content.ts';
import { reduced, type TotalledLine } from './totals.ts';

/** A charge of an invoice that credits may pay. */
interface Payable {
  /** Null: the minimum of the plan. */
  readonly priceId: string | null;
  /** It corrects a closed period. */
  readonly isLate: boolean;
  readonly spendings: (place: number) => readonly Spending[];
  /** The lines that can be lowered, each with what is left of it as its price quotes it. */
  readonly lines: readonly { readonly line: DraftLine; readonly left: Decimal }[];
}

/** The lines of an invoice before its billing credits. */
export interface BeforeCredits {
  readonly charges: readonly DraftsOfDue[];
  readonly minimums: { readonly own: readonly DraftLine[]; readonly late: readonly DraftLine[] };
  /** The discounts on them that stand apart. */
  readonly coupons: readonly DraftLine[];
}

/**
 * What billing credits pay of the lines of an invoice, and what they get back with its corrections (commercial.md §3).
 * What they get back with credits for unused time stands beside those.
 */
export function creditUseDrafts(
  input: CalculationInput,
  before: BeforeCredits,
): { readonly own: DraftLine[]; readonly late: DraftLine[] } {
  const { billingCredits: credits } = input;
  const returned = before.charges.flatMap((charge) => returnsOf(input, charge));
  const gives = returned.map((each) => returnDraft(input, each));
  if (credits === undefined) return { own: [], late: gives };
  const payables = payablesOf(input, credits, before);
  const burning = credits.held.map((credit) => ({
    id: credit.id,
    from: Temporal.Instant.from(credit.from),
    until: credit.until === null ? null : Temporal.Instant.from(credit.until),
    left: decimal(credit.left).plus(
      sum(returned.flatMap(({ billingCreditId, amount }) => (billingCreditId === credit.id ? amount : []))),
    ),
  }));
  const byId = new Map(credits.held.map((credit) => [credit.id, credit]));
  const { rivals = [] } = credits;
  const pays = (creditId: string, place: number): boolean => {
    const payable = payables[place];
    if (payable) return isFor(byId.get(creditId) as FrozenCredit, payable);
    return (rivals[place - payables.length] as FrozenRival).creditIds.includes(creditId);
  };
  const burnt = burn(
    burning,
    [
      ...payables.flatMap(({ spendings }, place) => spendings(place)),
      ...rivals.map((rival, index) => spendingOf(rival, payables.length + index)),
    ],
    pays,
  );
  const drafts = (isLate: boolean): DraftLine[] =>
    payables.flatMap((payable, place) =>
      payable.isLate === isLate ? useDrafts(input, byId, payable, place, burnt) : [],
    );
  return { own: drafts(false), late: [...drafts(true), ...gives] };
}

/** Spending of an open period, and the credits that may pay it. */
export type OpenSpending = Omit<Spending, 'place'> & { readonly creditIds: readonly string[] };

/** What an invoice would spend of the credits of its terms. */
export const spendingsOfInvoice = (input: CalculationInput, before: BeforeCredits): OpenSpending[] =>
  payablesOf(input, input.billingCredits ?? NO_CREDITS, before).flatMap((payable) => {
    const paying = (input.billingCredits ?? NO_CREDITS).held.filter((credit) => isFor(credit, payable));
    const creditIds = paying.map(({ id }) => id);
    return creditIds.length === 0
      ? []
      : payable.spendings(0).map(({ place: _, ...spending }) => ({ ...spending, creditIds }));
  });

const NO_CREDITS: FrozenCredits = { held: [], spent: {} };

/** An older subscription has its turn before the invoice's own. */
const spendingOf = ({ start, end, isFee, isOlder, amount }: FrozenRival, place: number): Spending => ({
  ...{ place, turn: isOlder ? -1 : 1, isFee, amount: decimal(amount) },
  time: { start: Temporal.Instant.from(start), end: Temporal.Instant.from(end) },
});

type CreditUses = ReadonlyMap<string, Decimal>;

/** What lines take of credits, before tax, under the id of each; below 0 where it gets back. */
export function usesOf(lines: readonly Pick<CalculatedLine, 'workings' | 'totalPrice'>[]): CreditUses {
  const uses = new Map<string, Decimal>();
  for (const { workings, totalPrice } of lines) {
    const { billingCreditId: id } = workings?.use ?? {};
    if (id !== undefined) uses.set(id, (uses.get(id) ?? ZERO).minus(totalPrice));
  }
  return uses;
}

/** Credits of which some have left what an invoice takes of them alone: what others would take is off already. */
export const asAlone = (
  credits: FrozenCredits | undefined,
  those: ReadonlySet<string>,
  uses: CreditUses,
): FrozenCredits | undefined =>
  credits && {
    ...credits,
    held: credits.held.map((credit) =>
      those.has(credit.id) ? { ...credit, left: plain(uses.get(credit.id) ?? ZERO) } : credit,
    ),
    ...(credits.rivals && {
      rivals: credits.rivals.map((rival) => ({
        ...rival,
        creditIds: rival.creditIds.filter((id) => !those.has(id)),
      })),
    }),
  };

/**
 * Credits that burn less, because lines took more of some than these had: the tax in inclusive prices is rounded over
 * all lines of an invoice, so that the net amount of one may be a cent above what was burnt.
 * @param burning as they were for these lines
 * @param uses what these take
 * @returns null: no line took too much
 */
export function withoutExcess(
  burning: FrozenCredits | undefined,
  had: FrozenCredits | undefined,
  uses: CreditUses,
): FrozenCredits | null {
  const held = (burning?.held ?? []).map((credit, place) => {
    const most = Decimal.max(ZERO, decimal(had?.held[place]?.left ?? '0'));
    const excess = Decimal.max(ZERO, (uses.get(credit.id) ?? ZERO).minus(most));
    return { ...credit, left: plain(decimal(credit.left).minus(excess)), hasLess: excess.gt(0) };
  });
  if (!burning || held.every(({ hasLess }) => !hasLess)) return null;
  return { ...burning, held: held.map(({ hasLess, ...credit }) => credit) };
}

const isFor = ({ priceIds, paysMinimum }: FrozenCredit, { priceId }: Payable): boolean =>
  priceId === null ? paysMinimum : priceIds === null || priceIds.includes(priceId);

/** What is given back of an item, by credit. */
interface Return {
  readonly item: BilledItem;
  readonly billingCreditId: string;
  /** Before tax. */
  readonly amount: Decimal;
  /** Its share of the tax that the correction takes back; absent: the correction is taxed by its rate. */
  readonly tax?: Decimal;
}

/**
 * What billing credits get back where a correction takes usage back: what they pay above what its bills still owe, of
 * the last one first. So much of the correction stays on the invoice.
 */
function returnsOf(input: CalculationInput, { due, drafts }: DraftsOfDue): readonly Return[] {
  const [line] = drafts;
  const whole = { amount: sum(drafts.map(({ amount }) => amount)).negated(), tax: taxOf(drafts)?.negated() };
  if (!line || due.late === undefined || whole.amount.lte(0)) return [];
  const net = netOfCorrection(input, line, whole);
  let taken = net;
  const { items } = due.late;
  const lefts = leftOfBills(items);
  const returns = items.toReversed().flatMap((item, fromLast): Return[] => {
    const left = lefts.at(-1 - fromLast) ?? ZERO;
    const off = Decimal.min(left, taken);
    taken = taken.minus(off);
    let over = Decimal.min(off, sum(item.uses.map(({ amount }) => amount)).minus(left.minus(off)));
    return item.uses.toReversed().flatMap(({ billingCreditId, amount: paid }): Return[] => {
      const amount = Decimal.max(ZERO, Decimal.min(over, paid));
      over = over.minus(amount);
      return amount.isZero() ? [] : [{ item, billingCreditId, amount }];
    });
  });
  if (returns.length === 0) return [];
  const taxed = whole.tax ? withTax({ net, tax: whole.tax }, returns, input.currency) : returns;
  const kept = sum(taxed.map((each) => quotedOf(input, each)));
  const most = Decimal.max(ZERO, (line.mostCut ?? line.amount.negated()).minus(kept));
  Object.assign(line, { mostCut: most });
  return whole.tax ? asLeft(input, taxed, reduced(line, line.amount.plus(most), input.currency), drafts) : taxed;
}

/** The tax of lines that take back what was billed; absent: they are taxed by their rate. */
const taxOf = (lines: readonly TotalledLine[]): Decimal | undefined =>
  lines.some(({ tax }) => tax === undefined) ? undefined : sum(lines.map(({ tax = ZERO }) => tax));

function netOfCorrection(
  input: CalculationInput,
  line: DraftLine,
  { amount, tax }: { readonly amount: Decimal; readonly tax: Decimal | undefined },
): Decimal {
  if (input.taxBehavior !== 'inclusive') return amount;
  return tax ? amount.minus(tax) : netOf(input, [{ line, left: amount }]);
}

/** What is left of a correction where all is cut that may be is what stands beside it, to the cent of its tax. */
function asLeft(
  { taxBehavior }: CalculationInput,
  returns: readonly Return[],
  line: TotalledLine,
  [, ...discounts]: readonly DraftLine[],
): readonly Return[] {
  if (taxBehavior === 'inclusive') return returns;
  const tax = taxOf([line, ...discounts]) ?? ZERO;
  const others = returns.slice(0, -1);
  const given = sum(others.map((each) => each.tax ?? ZERO));
  return [...others, { ...(returns.at(-1) as Return), tax: tax.plus(given).negated() }];
}

/** A part of an item as its price quotes it. */
function quotedOf({ taxBehavior, currency }: CalculationInput, { item, amount, tax }: Return): Decimal {
  if (taxBehavior !== 'inclusive') return amount;
  const factor = item.taxRate.div(PERCENT).plus(1);
  return tax ? amount.plus(tax) : roundTo(amount.times(factor), currency, 'half-away-from-zero');
}

/** The charges of an invoice that come to something, in the order of their lines. */
function payablesOf(input: CalculationInput, credits: FrozenCredits, before: BeforeCredits): Payable[] {
  const ofCharges = before.charges.flatMap(({ due, drafts }): Payable[] => {
    const lines = leftOf(drafts, before.coupons);
    const total = netOf(input, lines);
    if (total.lte(0)) return [];
    const isLate = due.late !== undefined;
    const spendings = (place: number) => spentOn(input, credits, { due, lines, total }, place);
    return [{ priceId: due.charge.price.id, isLate, lines, spendings }];
  });
  const ofPlan = (minimums: readonly DraftLine[], isLate: boolean): Payable[] =>
    minimums
      .filter(({ type, amount }) => (type === 'commitment' || type === 'true_up') && amount.gt(0))
      .flatMap((line): Payable[] => {
        const lines = leftOf([line, ...minimums.filter(({ appliesTo }) => appliesTo === line)], before.coupons);
        const amount = netOf(input, lines);
        const { periodStart: start, periodEnd: end } = unbilled(line);
        const spendings = (place: number) => [atTheEnd(place, { start, end }, amount)];
        return amount.lte(0) ? [] : [{ priceId: null, isLate, lines, spendings }];
      });
  return [...ofCharges, ...ofPlan(before.minimums.own, false), ...ofPlan(before.minimums.late, true)];
}

/** The lines of a charge that can be lowered. A limit, which stands beside them, lowers them in proportion. */
function leftOf(drafts: readonly DraftLine[], coupons: readonly DraftLine[]): Payable['lines'] {
  const bases = drafts.filter(({ appliesTo }) => appliesTo === null);
  const lefts = bases.map((line) => {
    const off = [...drafts, ...coupons].filter(({ appliesTo }) => appliesTo === line);
    return { line, left: line.amount.plus(sum(off.map(({ amount }) => amount))) };
  });
  const limits = sum(lefts.filter(({ left }) => left.lt(0)).map(({ left }) => left));
  const open = lefts.filter(({ left }) => left.gt(0));
  const whole = sum(open.map(({ left }) => left));
  if (limits.isZero()) return open;
  return whole.plus(limits).lte(0)
    ? []
    : open.map(({ line, left }) => ({ line, left: left.plus(limits.times(left).div(whole)) }));
}

/** The amounts of lines before tax, rounded together. */
const netOf = ({ taxBehavior, currency }: CalculationInput, lines: Payable['lines']): Decimal =>
  roundTo(
    sum(lines.map(({ line, left }) => (taxBehavior === 'inclusive' ? left.div(factorOf(line)) : left))),
    currency,
    'half-away-from-zero',
  );

const PERCENT = 100;
const factorOf = ({ taxRate }: DraftLine): Decimal => (taxRate ?? ZERO).div(PERCENT).plus(1);

/**
 * A fee is spent where its service begins; usage by what it came to until the instants that were frozen; what is
 * missing to the minimum of a price at the end of its period.
 */
function spentOn(
  input: CalculationInput,
  credits: FrozenCredits,
  { due, lines, total }: { readonly due: DueCharge; readonly lines: Payable['lines']; readonly total: Decimal },
  place: number,
): Spending[] {
  const { price, period } = due.charge;
  const { start } = period;
  const amount = Decimal.min(total, netOf(input, lines.filter(isNoMinimum)));
  const until = credits.spent[spentKey(due)] ?? [];
  const instants = until.map((each) => ({ at: Temporal.Instant.from(each.at), amount: decimal(each.amount) }));
  const own =
    price.metric === null
      ? [{ place, time: { start, end: start }, isFee: true, amount }]
      : spendingsOf(place, period, amount, instants);
  return [...own, atTheEnd(place, period, total.minus(amount))].filter((spending) => spending.amount.gt(0));
}

const isNoMinimum = ({ line }: Payable['lines'][number]): boolean => line.type !== 'minimum';

/** What is spent with the last instant of a period. */
const atTheEnd = (place: number, { start, end }: Period, amount: Decimal): Spending => {
  const last = end.subtract({ microseconds: 1 });
  return { place, time: { start: isBefore(last, start) ? start : last, end }, isFee: false, amount };
};

/**
 * The lines of what credits pay of one charge: first under its lines of usage or of a fee, in proportion to what is
 * left of them, then under the one of its minimum, which is spent last.
 */
function useDrafts(
  input: CalculationInput,
  credits: ReadonlyMap<string, FrozenCredit>,
  { lines }: Payable,
  place: number,
  burnt: readonly Burnt[],
): DraftLine[] {
  const own = burnt.filter((each) => each.place === place);
  const quoted = quotedUses(input, lines, own);
  const left = lines.map((each) => each.left);
  const ofLines = lines.map(() => new Map<string, Decimal>());
  for (const [turn, { creditId }] of own.entries()) {
    const shares = inTurn(quoted[turn] as Decimal, lines, left, input.currency);
    for (const [at, share] of shares.entries()) {
      left[at] = (left[at] as Decimal).minus(share);
      const ofLine = ofLines[at] as Map<string, Decimal>;
      ofLine.set(creditId, share.plus(ofLine.get(creditId) ?? ZERO));
    }
  }
  return [...new Set(own.map(({ creditId }) => creditId))].flatMap((creditId) =>
    lines.flatMap(({ line }, at): DraftLine[] => {
      const part = ofLines[at]?.get(creditId) ?? ZERO;
      return part.isZero() ? [] : [useDraft(credits.get(creditId) as FrozenCredit, part.negated(), line)];
    }),
  );
}

/** What was burnt of a charge as its price quotes it. What one credit pays is rounded once. */
function quotedUses(input: CalculationInput, lines: Payable['lines'], burnt: readonly Burnt[]): Decimal[] {
  const { currency } = input;
  const ofCredits = Map.groupBy(burnt.entries(), ([, { creditId }]) => creditId);
  const quoted: Decimal[] = [];
  let [whole, unpaid] = [sum(lines.map(({ left }) => left)), netOf(input, lines)];
  for (const those of ofCredits.values()) {
    const parts = those.map(([, { amount }]) => amount);
    const net = sum(parts);
    const amount = net.eq(unpaid) ? whole : roundTo(whole.times(net).div(unpaid), currency, 'half-away-from-zero');
    [whole, unpaid] = [whole.minus(amount), unpaid.minus(net)];
    const shares = allocate(amount, parts, currency);
    for (const [place, [turn]] of those.entries()) quoted[turn] = shares[place] as Decimal;
  }
  return quoted;
}

/** The shares that lines bear of an amount: the minimum takes what the others leave. */
function inTurn(amount: Decimal, lines: Payable['lines'], left: readonly Decimal[], currency: string): Decimal[] {
  const openOf = (those: 'minimum' | 'others') =>
    lines.map((line, at) =>
      isNoMinimum(line) === (those === 'others') ? Decimal.max(ZERO, left[at] as Decimal) : ZERO,
    );
  const most = roundTo(sum(openOf('others')), currency, 'half-away-from-zero');
  const first = Decimal.min(amount, most);
  const before = allocate(first, openOf('others'), currency);
  const after = allocate(amount.minus(first), openOf('minimum'), currency);
  return before.map((share, at) => share.plus(after[at] as Decimal));
}

const contentOf = (
  name: string,
  amount: Decimal,
  use: { billingCreditId: string; onInvoiceId?: string; commitmentId?: string },
) => ({
  ...PLAIN_LINE,
  eventType: 'discount' as const,
  type: 'billing_credit',
  displayName: name,
  unitPrice: amount,
  discountPrice: Decimal.max(ZERO, amount.negated()),
  workings: { use },
});

function useDraft({ id, name }: FrozenCredit, amount: Decimal, line: DraftLine): DraftLine {
  const { displayName, periodStart, periodEnd, workings } = unbilled(line);
  const ofCommitment = workings?.trueUp && { commitmentId: workings.trueUp.commitmentId };
  const use = contentOf(`${displayName}: ${name}`, amount, { billingCreditId: id, ...ofCommitment });
  const content = { ...use, periodStart, periodEnd };
  return underLine(otherDraft({ amount, taxRate: line.taxRate, content }), line);
}

/** What a bill of another invoice no longer needs goes back to its credit. */
function returnDraft(input: CalculationInput, returned: Return): DraftLine {
  const quoted = quotedOf(input, returned);
  const { item, billingCreditId, tax } = returned;
  const { invoiceId, priceId, displayName, period, lines, taxRate } = item;
  const content: OtherLine['content'] = {
    ...contentOf(`${displayName}: billing credit given back`, quoted, { billingCreditId, onInvoiceId: invoiceId }),
    ...{ priceId, feeId: lines[0]?.feeId ?? null },
    ...{ periodStart: period.start, periodEnd: period.end },
  };
  return otherDraft({ amount: quoted, taxRate, ...(tax && { tax }), content });
}

/** What a line says, before its amounts are known. */
const unbilled = (line: DraftLine): CalculatedLine =>
  line.stored({ ...{ amount: ZERO, net: ZERO, tax: ZERO, gross: ZERO, cut: ZERO }, taxRate: line.taxRate });
