import { Decimal, ONE, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { scale, WHOLE } from '../../kernel/fraction.ts';
import type { DueCharge, DueCommitment } from '../difference/due.ts';
import { rateCommitment } from '../owed/commitment.ts';
import { beforeMinimum, couponLines } from '../owed/discounts.ts';
import { type RatedLine, shortText } from '../rating/index.ts';
import type { CalculationInput, DraftLine, OtherLine } from './calculation.ts';
import { draftsOf, mostBack, shareOfTax } from './due-lines.ts';
import { otherDraft, PLAIN_LINE } from './line-content.ts';

/** The lines of a charge that is due. */
export interface DraftsOfDue {
  readonly due: DueCharge;
  readonly drafts: readonly DraftLine[];
}

/**
 * The lines for the difference between the charges of a plan's period and its commitment, less the commitment that was
 * billed before.
 */
export function commitmentDrafts(
  input: CalculationInput,
  commitment: DueCommitment,
  charges: readonly DraftsOfDue[],
): DraftLine[] {
  const { minimumAmount, period, before, back } = commitment;
  const { reached, missing, amount } = differenceOfCommitment(input, commitment, charges);
  if (amount.isZero()) return [];
  const limit = { amount: shortText(minimumAmount), reached: shortText(reached) };
  const content = {
    ...PLAIN_LINE,
    type: 'commitment',
    displayName: 'Minimum commitment',
    unitPrice: amount,
    periodStart: period.start,
    periodEnd: period.end,
    workings: { limit, ...(!before.isZero() && { soFar: { total: plain(missing), before: plain(before) } }) },
  } as const;
  if (amount.gt(0) || back === null) {
    const draft = otherDraft({ amount, taxRate: commitment.taxRate, content });
    return withCoupons(draft, couponsOn(input, commitment, draft, content));
  }
  const tax = shareOfTax(input, amount, back);
  const credit = otherDraft({ amount, tax, taxRate: back.taxRate, content, cutTurn: 'credit' });
  const coupons = couponsOn(input, commitment, credit, content);
  const mostCut = Decimal.max(ZERO, sum([credit, ...coupons].map((draft) => draft.amount)).negated());
  return withCoupons({ ...credit, cut: 'credited', mostCut }, coupons);
}

const withCoupons = (draft: DraftLine, coupons: readonly DraftLine[]): DraftLine[] => [
  draft,
  ...coupons.map((coupon) => ({ ...coupon, appliesTo: draft })),
];

/** The coupons that name no charges take part in the minimum of the plan, too. */
function couponsOn(
  { currency }: CalculationInput,
  { coupons, before, couponsBefore }: DueCommitment,
  { amount, taxRate }: DraftLine,
  content: OtherLine['content'],
): DraftLine[] {
  const line: RatedLine = {
    ...{ kind: 'charge', eventType: 'fee', lineItemType: 'charge', quantity: ONE, includedUnits: ZERO },
    ...{ unitPrice: amount, totalPrice: amount, exactPrice: amount, tiers: null, group: null },
  };
  const lines = couponLines(
    { coupons, charges: [{ line, left: amount }], before: { amount: before, coupons: couponsBefore } },
    currency,
  );
  return lines.map(({ totalPrice: off, by, workings }) =>
    otherDraft({
      amount: off,
      taxRate,
      content: {
        ...content,
        ...{ type: 'coupon', eventType: 'discount', displayName: `${content.displayName}: ${by.description}` },
        ...{ unitPrice: off, discountPrice: Decimal.max(ZERO, off.negated()), workings },
      },
    }),
  );
}

/**
 * The difference between a commitment and its billed part; a reduction is limited to the amount that can be credited.
 */
function differenceOfCommitment(
  input: CalculationInput,
  { minimumAmount, charged, before, back, shareOf, namedOf }: DueCommitment,
  charges: readonly DraftsOfDue[],
) {
  const own = charges.map(({ due, drafts }) => {
    const counted = beforeMinimum(drafts, namedOf(due.charge), input.currency);
    return scale(counted, shareOf(due.charge));
  });
  const reached = sum([charged, ...own]);
  const missing = rateCommitment({ minimumAmount, fraction: WHOLE, charged: [reached], currency: input.currency });
  const most = back === null ? ZERO : mostBack(input, back);
  return { reached, missing, amount: Decimal.max(missing.minus(before), most.negated()) };
}

/** The commitments of closed periods that differ from their bills. */
export const commitmentCorrectionsOf = (input: CalculationInput): { commitment: DueCommitment; total: Decimal }[] => {
  const charges = input.charges.map((due) => ({ due, drafts: draftsOf(input, due) }));
  return (input.commitments ?? [])
    .map((commitment) => ({ commitment, total: differenceOfCommitment(input, commitment, charges).amount }))
    .filter(({ total }) => !total.isZero());
};
