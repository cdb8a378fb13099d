import { Decimal, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { scale } from '../../kernel/fraction.ts';
import { allocate, roundTo } from '../../kernel/money.ts';
import type { Instant, Period } from '../../kernel/time.ts';
import type { CouponInPeriod, DueCoupons } from '../difference/coupons-due.ts';
import { isForCharge } from '../owed/coupons.ts';
import type { BilledPrice, BilledRedemption } from '../terms/billing-terms.ts';
import type { CalculationInput, DraftLine } from './calculation.ts';
import type { DraftsOfDue } from './commitment-lines.ts';
import { otherDraft, PLAIN_LINE, underLine } from './line-content.ts';

/** A charge of a period, on this invoice or another one. */
interface InPeriod {
  /** Null: the minimum of the plan. */
  readonly price: BilledPrice | null;
  readonly whole: Decimal;
  /** What is left of all of the line before these coupons, whichever periods it is for. */
  readonly most: Decimal;
  /** The line on this invoice that may bear its coupons; null: none. */
  readonly line: DraftLine | null;
  /** It corrects a closed period: it stands as it is when the invoice is calculated again. */
  readonly isCorrection: boolean;
}

/** The lines of the plan's minimum in a period. */
export interface MinimumDrafts {
  readonly start: Instant;
  readonly isLate: boolean;
  readonly drafts: readonly DraftLine[];
}

/**
 * The lines of the coupons that are worked out for whole periods of the plan: what each period owes of them now, less
 * what other invoices took.
 * @returns those of the invoice's own periods, and of earlier ones
 */
export function couponDrafts(
  input: CalculationInput,
  charges: readonly DraftsOfDue[],
  minimums: readonly MinimumDrafts[],
): Drafts {
  const carried = new Map<string, Decimal>();
  const borne = new Map<DraftLine | null, Decimal>();
  const made = (input.coupons ?? []).map((due) => {
    const changes = changesIn(input, due, charges, minimums, carried);
    for (const { redemption, amount } of changes.coupons) {
      if (redemption.carriesOver) carried.set(redemption.id, (carried.get(redemption.id) ?? ZERO).plus(amount));
    }
    const drafts = draftsIn(input, due, changes, borne);
    for (const { appliesTo, amount } of [...drafts.own, ...drafts.late])
      borne.set(appliesTo, (borne.get(appliesTo) ?? ZERO).minus(amount));
    return { due, ...drafts };
  });
  let rooms: readonly Room[] = roomsOf(
    charges,
    made.flatMap(({ own, late }) => [...own, ...late]),
  );
  const drafts: Drafts = { own: [], late: [] };
  for (const { due, own, late, open } of made) {
    drafts[due.isLate ? 'late' : 'own'].push(...own);
    drafts.late.push(...late);
    for (const each of open) {
      const more = bear(input, due.period.start, each, rooms);
      rooms = more.rooms;
      drafts[due.isLate ? 'late' : 'own'].push(...more.own);
      drafts.late.push(...more.late);
      if (more.open.gt(0) && isBilledElsewhere(due, each.redemption))
        drafts[due.isLate ? 'late' : 'own'].push(ofOthers(input, due, each.redemption, more.open));
    }
  }
  return drafts;
}

/**
 * Do other invoices bill charges of the period that a coupon is for? If not, what no line can bear is a cent, because
 * the parts of a charge are rounded in each of its periods: who bills more of the period gives it.
 */
const isBilledElsewhere = ({ billed }: DueCoupons, redemption: BilledRedemption): boolean =>
  billed.some(({ price, amount }) => isForCharge(redemption, price) && amount.gt(0));

/**
 * What no line of the invoice can bear of a coupon: all of it is cut off a total of 0, and credited on the invoices
 * that billed the charges of the period.
 */
function ofOthers(input: CalculationInput, due: DueCoupons, redemption: BilledRedemption, open: Decimal): DraftLine {
  const price = due.billed.find((each) => isForCharge(redemption, each.price))?.price ?? null;
  const line = lineOfItsOwn(input, redemption, due.period.start, open.negated(), price);
  return {
    ...{ ...line, cutTurn: 'credit', cut: 'credited' },
    stored: (total) => ({ ...line.stored(total), discountPrice: Decimal.max(ZERO, total.net.negated()) }),
  };
}

interface Drafts {
  readonly own: DraftLine[];
  readonly late: DraftLine[];
}

/** What a coupon takes of a period more than other invoices took; below 0: less. */
export interface CouponChange {
  readonly redemption: BilledRedemption;
  readonly period: Period;
  readonly amount: Decimal;
  /** What it takes of it in all. */
  readonly off: Decimal;
}

/** The same of all periods where no further invoice bears it. */
export function couponChanges(input: Pick<CalculationInput, 'currency'>, due: readonly DueCoupons[]): CouponChange[] {
  const carried = new Map<string, Decimal>();
  return due.flatMap((each) => {
    const { coupons } = changesIn(input, each, [], [], carried);
    for (const { redemption, amount } of coupons)
      if (redemption.carriesOver) carried.set(redemption.id, (carried.get(redemption.id) ?? ZERO).plus(amount));
    return coupons.map(({ redemption, amount, off }) => ({ redemption, period: each.period, amount, off }));
  });
}

interface ChangesInPeriod {
  readonly all: readonly InPeriod[];
  /** What is left of them before these coupons. */
  readonly amounts: readonly Decimal[];
  readonly coupons: readonly {
    readonly redemption: BilledRedemption;
    readonly isFor: readonly boolean[];
    readonly off: Decimal;
    readonly amount: Decimal;
  }[];
}

/**
 * What the coupons of a period take now, the oldest first, each on what the former ones left, less what other invoices
 * took.
 * @param carried what earlier periods on this invoice took more of what carries over
 */
function changesIn(
  input: Pick<CalculationInput, 'currency'>,
  due: DueCoupons,
  charges: readonly DraftsOfDue[],
  minimums: readonly MinimumDrafts[],
  carried: ReadonlyMap<string, Decimal>,
): ChangesInPeriod {
  const { all, amounts } = chargesIn(due, charges, minimums);
  let left: readonly Decimal[] = netOf(all, amounts);
  const coupons = due.coupons.map((coupon) => {
    const { redemption, taken } = coupon;
    const isFor = all.map(({ price }) => isForCharge(redemption, price));
    const of = left.map((amount, at) => (isFor[at] ? amount : ZERO));
    const available = coupon.available.minus(carried.get(redemption.id) ?? ZERO);
    const off = roundTo(
      offPeriod({ ...coupon, available }, all, isFor, sum(of)),
      input.currency,
      'half-away-from-zero',
    );
    const shares = share(off, of, input.currency);
    left = left.map((amount, at) => amount.minus(shares[at] as Decimal));
    return { redemption, isFor, off, amount: off.minus(taken) };
  });
  return { all, amounts, coupons };
}

/** What a coupon takes more of a period, and no charge of the period on this invoice can bear. */
interface OpenCoupon {
  readonly redemption: BilledRedemption;
  readonly amount: Decimal;
}

/**
 * The lines of these changes on an invoice, in proportion to what is left of its charges and never below 0: under its
 * own charges first, then under corrections. What was taken too much is a line of its own. What an older coupon took of
 * a charge on another invoice is missing to a newer one there, but not to the charges of this invoice: so the newer one
 * takes its part of those, as if the two had changed their places.
 * @param before what coupons of earlier periods took of the same charges
 * @returns those under corrections apart
 */
function draftsIn(
  input: CalculationInput,
  { period }: DueCoupons,
  { all, amounts, coupons }: ChangesInPeriod,
  before: ReadonlyMap<DraftLine | null, Decimal>,
): Drafts & { readonly open: readonly OpenCoupon[] } {
  const taken = coupons.flatMap(({ redemption, isFor, amount }) =>
    amount.lt(0) ? [takenBack(input, redemption, period.start, amount.negated(), all, isFor)] : [],
  );
  const ofCharges = all.map(({ price, line, most, isCorrection }, at) => {
    const rest = most.minus(before.get(line) ?? ZERO);
    const left = line ? Decimal.max(ZERO, Decimal.min(amounts[at] as Decimal, rest)) : ZERO;
    return { line, isCorrection, left, isFor: (of: BilledRedemption) => isForCharge(of, price) };
  });
  const ofTaken = taken.map((line) => ({ line, isCorrection: false, left: line.amount, isFor: () => false }));
  let rooms: readonly Room[] = [...ofCharges, ...ofTaken];
  const drafts: Drafts = { own: taken, late: [] };
  const open = coupons.flatMap(({ redemption, amount }): OpenCoupon[] => {
    const borne = bear(input, period.start, { redemption, amount: Decimal.max(ZERO, amount) }, rooms);
    rooms = borne.rooms;
    drafts.own.push(...borne.own);
    drafts.late.push(...borne.late);
    return borne.open.isZero() ? [] : [{ redemption, amount: borne.open }];
  });
  return { ...drafts, open };
}

/** What a line of this invoice may still bear of coupons; one of another invoice bears nothing. */
interface Room {
  readonly line: DraftLine | null;
  readonly isCorrection: boolean;
  readonly left: Decimal;
  readonly isFor: (redemption: BilledRedemption) => boolean;
}

/** What is left of the charges of this invoice and of what coupons took too much, in whichever periods they are. */
function roomsOf(charges: readonly DraftsOfDue[], coupons: readonly DraftLine[]): Room[] {
  const leftOf = (line: DraftLine, drafts: readonly DraftLine[]): Decimal => {
    const under = coupons.filter(({ appliesTo }) => appliesTo === line);
    return Decimal.max(ZERO, sum([...drafts, ...under].map(({ amount }) => amount)));
  };
  const ofCharges = charges.flatMap(({ due, drafts }): Room[] => {
    const [line] = drafts;
    const isFor = (redemption: BilledRedemption) => isForCharge(redemption, due.charge.price);
    return line ? [{ line, isCorrection: due.late !== undefined, left: leftOf(line, drafts), isFor }] : [];
  });
  const taken = coupons.filter(({ amount }) => amount.gt(0));
  const ofTaken = taken.map((line) => ({ line, isCorrection: false, left: leftOf(line, [line]), isFor: () => false }));
  return [...ofCharges, ...ofTaken];
}

/** The lines of a coupon under those that have room: what it names first, and corrections last. */
function bear(
  { currency }: CalculationInput,
  period: Instant,
  { redemption, amount }: OpenCoupon,
  rooms: readonly Room[],
): Drafts & { readonly rooms: readonly Room[]; readonly open: Decimal } {
  let [open, left] = [amount, rooms];
  const drafts: Drafts = { own: [], late: [] };
  for (const isOwn of [true, false])
    for (const isCorrection of [false, true]) {
      const those = left.map((room) =>
        room.isFor(redemption) === isOwn && room.isCorrection === isCorrection ? room.left : ZERO,
      );
      const most = sum(those);
      const now = Decimal.min(open, roundTo(most, currency, 'half-away-from-zero'));
      if (now.lte(0)) continue;
      const shares = share(now, those, currency);
      left = left.map((room, at) => ({ ...room, left: room.left.minus(shares[at] as Decimal) }));
      open = open.minus(now);
      const made = shares.flatMap((part, at) => {
        const line = rooms[at]?.line ?? null;
        const of = isOwn ? most : null;
        return line === null || part.isZero() ? [] : [draftOf(redemption, period, part.negated(), line, of)];
      });
      drafts[isCorrection ? 'late' : 'own'].push(...made);
    }
  return { ...drafts, rooms: left, open };
}

/**
 * All charges of a period, with what is left of them after the coupons of charges: on other invoices, corrections on
 * this one, its own.
 */
function chargesIn(
  { period, billed, shareOf }: DueCoupons,
  charges: readonly DraftsOfDue[],
  minimums: readonly MinimumDrafts[],
): { readonly all: readonly InPeriod[]; readonly amounts: Decimal[] } {
  const amountOf = (drafts: readonly DraftLine[]) => sum(drafts.map(({ amount }) => amount));
  const onThis = charges.flatMap(({ due, drafts }) => {
    const [line] = drafts;
    const part = shareOf(due.charge);
    if (!line || part.numerator === 0n) return [];
    const whole = scale(amountOf(drafts.filter(({ type }) => type !== 'coupon')), part);
    const most = amountOf(drafts);
    const amount = scale(most, part);
    return [{ price: due.charge.price, whole, most, line, isCorrection: due.late !== undefined, amount }];
  });
  const ofPlan = minimums
    .filter(({ start }) => start.equals(period.start))
    .flatMap(({ drafts, isLate: isCorrection }) =>
      drafts
        .filter(({ type }) => type === 'commitment')
        .map((line) => {
          const coupons = drafts.filter((each) => each.appliesTo === line);
          const amount = amountOf([line, ...coupons]);
          return { price: null, whole: line.amount, most: amount, line, isCorrection, amount };
        }),
    );
  const own = [...onThis, ...ofPlan];
  const all = [
    ...billed.map((each) => ({ ...each, most: each.amount, line: null, isCorrection: false })),
    ...own.filter(({ isCorrection }) => isCorrection),
    ...own.filter(({ isCorrection }) => !isCorrection),
  ];
  return { all, amounts: all.map(({ amount }) => amount) };
}

/** The same amounts, where what a correction takes back is off the other charges of its price. */
function netOf(all: readonly InPeriod[], amounts: readonly Decimal[]): Decimal[] {
  const left = [...amounts];
  for (const places of Map.groupBy(all.keys(), (at) => all[at]?.price?.id).values())
    for (const at of places.filter((place) => left[place]?.lt(0)))
      for (const other of places) {
        const off = Decimal.min(left[other] as Decimal, (left[at] as Decimal).negated());
        if (off.lte(0)) continue;
        left[other] = (left[other] as Decimal).minus(off);
        left[at] = (left[at] as Decimal).plus(off);
      }
  return left;
}

/** What a coupon takes of a period that comes to so much; exact. */
function offPeriod(
  { redemption, isIn, available }: CouponInPeriod,
  all: readonly InPeriod[],
  isFor: readonly boolean[],
  of: Decimal,
): Decimal {
  const { minimumAmount, percentOff } = redemption;
  const whole = sum(all.filter((_, at) => isFor[at]).map((each) => each.whole));
  if (!isIn || of.lte(0) || (minimumAmount !== null && whole.lt(minimumAmount))) return ZERO;
  return percentOff === null ? Decimal.max(ZERO, Decimal.min(available, of)) : of.times(percentOff);
}

/** An amount in proportion to others that are above 0. */
const share = (amount: Decimal, of: readonly Decimal[], currency: string): Decimal[] =>
  of.length === 0
    ? []
    : allocate(
        amount,
        of.map((each) => Decimal.max(ZERO, each)),
        currency,
      );

const contentOf = ({ id, couponId, name, minimumAmount }: BilledRedemption, period: Instant, amount: Decimal) => ({
  ...PLAIN_LINE,
  eventType: 'discount' as const,
  type: 'coupon',
  displayName: name,
  unitPrice: amount,
  discountPrice: Decimal.max(ZERO, amount.negated()),
  workings: {
    coupon: {
      ...{ couponId, redemptionId: id, period: period.toString() },
      ...(minimumAmount && { minimum: plain(minimumAmount) }),
    },
  },
});

/** The line of a coupon under a charge: with its dates and its tax. @param of null: the charge is not what it is of */
function draftOf(
  redemption: BilledRedemption,
  period: Instant,
  amount: Decimal,
  charge: DraftLine,
  of: Decimal | null,
): DraftLine {
  const content = contentOf(redemption, period, amount);
  const { percentOff } = redemption;
  const discount = percentOff && of && { percent: plain(percentOff.times(100)), of: plain(of) };
  const made = otherDraft({
    amount,
    taxRate: charge.taxRate,
    content: {
      ...content,
      ...{ periodStart: period, periodEnd: period },
      workings: { ...content.workings, ...(discount && { discount }) },
    },
  });
  return underLine(made, charge);
}

/** What a coupon took of a period that owes less by now. */
function takenBack(
  input: CalculationInput,
  redemption: BilledRedemption,
  period: Instant,
  amount: Decimal,
  all: readonly InPeriod[],
  isFor: readonly boolean[],
): DraftLine {
  const price = all.find((each, at) => isFor[at] && each.price !== null)?.price ?? null;
  return lineOfItsOwn(input, redemption, period, amount, price);
}

/** A line of a coupon under no charge, with the tax of a price. */
function lineOfItsOwn(
  { taxRates }: CalculationInput,
  redemption: BilledRedemption,
  period: Instant,
  amount: Decimal,
  price: BilledPrice | null,
): DraftLine {
  const content = { ...contentOf(redemption, period, amount), periodStart: period, periodEnd: period };
  const taxRate = (price && taxRates.get(price.id)) ?? [...taxRates.values()][0] ?? ZERO;
  return otherDraft({ amount, taxRate, content });
}
