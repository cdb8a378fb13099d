import { checkReference, type Tx } from '../../db/index.ts';
import { type FieldWords, Id, type Static, Strict, Type } from '../../http/index.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { listPriceId } from './list-price.ts';

export const APPLIES_TO_FIELDS: FieldWords = {
  planIds: 'Charges under these plans alone. Empty: under any plan.',
  priceIds: 'Charges of these prices. Together with the metrics and fees: any of them. All empty: all charges.',
  billableMetricIds: 'Charges for the usage of these metrics.',
  feeIds: 'Charges of these fees.',
};

const MOST_IDS = 1000;
const Ids = (kind: 'plan' | 'price' | 'billableMetric' | 'fee') =>
  Type.Optional(Type.Array(Id(kind), { maxItems: MOST_IDS }));

/** What a billing credit or a commitment is of: a subscription, all of an order, or all of its customer. */
export interface Scope {
  readonly subscriptionId: string | null;
  readonly orderId: string | null;
}

/** Is a subscription among those of a scope, as far as its customer is? */
export const isAmong = (
  subscription: { readonly subscriptionId: string; readonly orderId: string | null },
  { subscriptionId, orderId }: Scope,
): boolean =>
  (subscriptionId === null || subscription.subscriptionId === subscriptionId) &&
  (orderId === null || subscription.orderId === orderId);

/** A choice of charges, as it is sent. */
export const AppliesToBody = Strict(
  { planIds: Ids('plan'), priceIds: Ids('price'), billableMetricIds: Ids('billableMetric'), feeIds: Ids('fee') },
  { 'x-fields': APPLIES_TO_FIELDS },
);

/** The charges that a coupon, a billing credit or a commitment is for, as it is answered. */
export const AppliesToReply = Type.Object(
  {
    planIds: Type.Array(Id('plan')),
    priceIds: Type.Array(Id('price')),
    billableMetricIds: Type.Array(Id('billableMetric')),
    feeIds: Type.Array(Id('fee')),
  },
  {
    $id: 'AppliesTo',
    description: 'A choice of charges. All lists empty: all charges.',
    'x-fields': APPLIES_TO_FIELDS,
  },
);

/** The same, as it is stored. */
export type AppliesTo = Static<typeof AppliesToReply>;

/** A charge, as far as it is chosen: the plan under which it began, and its price. */
export interface ChosenCharge {
  readonly planId: string;
  readonly price: {
    readonly id: string;
    readonly metric: { readonly id: string } | null;
    readonly fee: { readonly id: string } | null;
  };
}

/** Does a choice name charges, and not just plans? */
export const namesCharges = ({ priceIds, billableMetricIds, feeIds }: AppliesTo): boolean =>
  priceIds.length + billableMetricIds.length + feeIds.length > 0;

/** Does a choice have a plan? */
export const hasPlan = ({ planIds }: AppliesTo, planId: string): boolean =>
  planIds.length === 0 || planIds.includes(planId);

/** Does a choice have a charge? `planIds` chooses plans; of the other lists any one takes it (commercial.md §2). */
export const appliesTo = (choice: AppliesTo, { planId, price }: ChosenCharge): boolean =>
  hasPlan(choice, planId) &&
  (!namesCharges(choice) ||
    choice.priceIds.includes(listPriceId(price.id)) ||
    (price.metric !== null && choice.billableMetricIds.includes(price.metric.id)) ||
    (price.fee !== null && choice.feeIds.includes(price.fee.id)));

/** Checks what a choice names: the merchant has all of it. */
export async function checkChosen(tx: Tx, choice: AppliesTo): Promise<Result<unknown>> {
  const lists = { planIds: 'plan', priceIds: 'price', billableMetricIds: 'billable metric', feeIds: 'fee' } as const;
  for (const [list, what] of Object.entries(lists) as [keyof typeof lists, string][])
    for (const [place, id] of choice[list].entries()) {
      const known = await checkReference(tx, what, id, `appliesTo.${list}.${place}`);
      if (!known.ok) return known;
    }
  return ok(undefined);
}
