import { decimal, plain } from '../../kernel/decimal.ts';
import { roundTo } from '../../kernel/money.ts';
import type { FrozenTrueUp } from '../invoice/frozen-terms.ts';
import { shortText } from '../rating/index.ts';
import type { CalculationInput, DraftLine, OtherLine } from './calculation.ts';
import { shareOfTax } from './due-lines.ts';
import { otherDraft, PLAIN_LINE } from './line-content.ts';

/**
 * The lines of what is missing to commitments over a term (commercial.md §4), before tax. One below 0 gives back what
 * was asked too much, with its tax; what a total of 0 cuts off it is left to the next invoice.
 */
export const trueUpDrafts = (input: CalculationInput): DraftLine[] =>
  (input.trueUps ?? []).map((trueUp) => trueUpDraft(input, trueUp));

function trueUpDraft(input: CalculationInput, trueUp: FrozenTrueUp): DraftLine {
  const { commitmentId, segment, name, amount: committed, spent, before, asked, back } = trueUp;
  const isFirst = decimal(before).isZero();
  const taxRate = decimal(trueUp.taxRate);
  const amount = quotedOf(input, trueUp);
  const content: OtherLine['content'] = {
    ...PLAIN_LINE,
    type: 'true_up',
    displayName: `${name}: true-up`,
    unitPrice: amount,
    periodStart: Temporal.Instant.from(trueUp.from),
    periodEnd: Temporal.Instant.from(trueUp.to),
    workings: {
      trueUp: { commitmentId, segment },
      limit: { amount: shortText(decimal(committed)), reached: shortText(decimal(spent)) },
      ...(!isFirst && { soFar: { total: plain(decimal(before).plus(asked)), before } }),
    },
  };
  if (back === null) return otherDraft({ amount, taxRate, content });
  const tax = shareOfTax(input, amount, { net: decimal(back.net), tax: decimal(back.tax), taxRate });
  return otherDraft({ amount, tax, taxRate, content, cutTurn: 'credit' });
}

/** The amount as prices quote it. */
function quotedOf({ taxBehavior, currency }: CalculationInput, { asked, taxRate }: FrozenTrueUp) {
  const amount = decimal(asked);
  if (taxBehavior === 'exclusive') return amount;
  return roundTo(amount.times(decimal(taxRate).div(100).plus(1)), currency, 'half-away-from-zero');
}
