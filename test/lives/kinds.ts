import { boundary, type Deed, numberAt } from './history.ts';
import { DAY, type Life, type Of, type Plan } from './life.ts';

/** The kinds of crossings that a life can have. `KIND=commitment,late` draws these alone. */
export const KINDS = [
  /** A plan with a minimum, and prices of another cadence. */
  'commitment',
  /** A period cut by `closeNow`, and discounts for a part of the time. */
  'cut',
  'endPast',
  /** A plan that is left and taken again, with a fee of another cadence than the plan's. */
  'again',
  /** Usage of a closed period, beside a refund, a void or a write-off. */
  'late',
  /** A refund, a cancellation or a write-off of an invoice that bore a credit. */
  'undone',
  /** A card payment that the cardholder's bank takes back. */
  'dispute',
  /** An invoice without a subscription. */
  'oneOff',
  /** Prices with unequal tax rates. */
  'taxes',
  /** A customer that is exempt from tax, for some time or always. */
  'exempt',
  /** Negotiated prices, for a time or until they are changed. */
  'agreed',
  /** Coupons of all kinds, which end early or follow the subscription to another plan. */
  'coupon',
  /** A customer for whom another one pays, for some time or always. */
  'paidFor',
  /** Prices on each event by itself. */
  'eachEvent',
  /** Subscriptions in another currency than their plans. */
  'abroad',
  /** A subscription that is paused for some time. */
  'pause',
  /** A trial whose end moves. */
  'trial',
  /** A level that is billed by the time that it held. */
  'overTime',
  /** The percentile of the figures of many windows. */
  'percentile',
  /** A credit note over a part of a line. */
  'note',
  /** Billing credits, which begin, expire and are voided at any time. */
  'credit',
  /** Billing credits that are bought, some of which are refunded. */
  'bought',
  /** Billing credits that the stored card buys when few are left. */
  'topUp',
  /** Commitments of subscriptions over a term. */
  'trueUp',
  /** Commitments of all subscriptions over a term. */
  'wide',
  /** Prepaid commitments of subscriptions, which end early or not. */
  'prepaid',
  /** A recorded payment that came back, with an excess that was spent or not. */
  'reversed',
  /** An issued invoice that another one replaces, with the same lines or rated anew. */
  'reissued',
  /** Invoices that close at one instant are joined. */
  'grouped',
  /** Usage with a minimum or a maximum of its price, included units, packages or volume tiers. */
  'limits',
  /** A figure that does not add up: the highest, the last, or how many are unlike. */
  'level',
] as const;
export type Kind = (typeof KINDS)[number];

/** All steps of a life as if the program accepted them. */
export function planned({ steps }: Life): Deed[] {
  let at = 0;
  return steps.map((step) => {
    if (step.do === 'advance') at = step.to;
    return { step, at };
  });
}

/** The kinds of a life with these deeds. */
export function kindsOf(life: Life, deeds: readonly Deed[]): Kind[] {
  const of = <Do extends Deed['step']['do']>(kind: Do): (Deed & { step: Of<Do> })[] =>
    deeds.filter((deed): deed is Deed & { step: Of<Do> } => deed.step.do === kind);
  const subscribed = new Map(of('subscribe').map(({ step }) => [step.sub, step]));
  const isMixed = ({ cadence, prices }: Plan) =>
    prices.some((price) => ![cadence, 'P0D', undefined].includes(life.prices[price]?.cadence));
  const isAgain = (): boolean =>
    [...subscribed.values()].some(({ sub, plan: first }) => {
      const plans = [first, ...of('change').flatMap(({ step }) => (step.sub === sub ? (step.plan ?? []) : []))];
      return plans.some(
        (plan, place) =>
          isMixed(life.plans[plan] as Plan) && plan !== plans[place - 1] && plans.slice(0, place).includes(plan),
      );
    });
  const isLate = ({ step, at }: Deed & { step: Of<'use'> }): boolean =>
    [...subscribed.values()].some(({ plan, startedAt }) => {
      const { cadence, anchor, trialDays = 0 } = life.plans[plan] as Plan;
      const first = anchor ?? startedAt + trialDays * DAY;
      const end = boundary(life, first, cadence, numberAt(life, first, cadence, step.at) + 1);
      return startedAt <= step.at && end <= at;
    });
  const undoings = deeds.flatMap(({ step }) =>
    step.do === 'refund' || step.do === 'cancel' || step.do === 'writeOff' ? [step] : [],
  );
  const has: Record<Kind, () => boolean> = {
    commitment: () => [...subscribed.values()].some(({ plan }) => isCommitted(life.plans[plan] as Plan)),
    cut: () =>
      of('closeNow').some(({ step }) => of('discount').some((other) => other.step.sub === step.sub && other.step.to)),
    endPast: () => of('endPast').some(({ step, at }) => step.at < at),
    again: isAgain,
    late: () => [...undoings, ...of('voidRefund')].length > 0 && of('use').some(isLate),
    undone: () => undoings.some(({ bearing }) => bearing),
    dispute: () => of('dispute').length > 0,
    oneOff: () => of('oneOff').length > 0,
    taxes: () => new Set(life.prices.map(({ taxRate }) => taxRate ?? life.taxRate)).size > 1,
    exempt: () => of('exempt').some(({ step }) => step.is),
    coupon: () => of('coupon').length > 0,
    paidFor: () => of('payer').some(({ step }) => step.is),
    abroad: () => life.isAbroad === true,
    agreed: () => [...of('subscribe'), ...of('change')].some(({ step }) => (step.overrides ?? []).length > 0),
    overTime: () => life.metrics.some(({ aggregation }) => aggregation === 'TIME_WEIGHTED'),
    percentile: () => life.metrics.some(({ aggregation }) => aggregation === 'PERCENTILE'),
    eachEvent: () => life.prices.some(({ properties }) => properties.perEvent ?? properties.freeEvents),
    pause: () => of('pause').length > 0,
    trial: () => of('moveTrial').length > 0,
    note: () => of('note').length > 0,
    credit: () => of('credit').length > 0,
    bought: () => of('credit').some(({ step }) => step.isBought),
    topUp: () => of('topUp').length > 0,
    trueUp: () => of('commit').length > 0,
    wide: () => of('commitAll').length > 0,
    prepaid: () => of('prepay').length > 0,
    reversed: () => of('reverse').length > 0,
    reissued: () => of('reissue').length > 0,
    grouped: () => life.isGrouped === true,
    level: () => life.metrics.some(({ aggregation }) => ['MAX', 'LATEST', 'UNIQUE_COUNT'].includes(aggregation)),
    limits: () =>
      life.prices.some(
        ({ metric, minimum, maximum, model, properties }) =>
          metric !== undefined &&
          (minimum ?? maximum ?? properties.includedUnits ?? ['volume', 'package'].includes(model)),
      ),
  };
  const isCommitted = (plan: Plan): boolean => plan.minimum !== undefined && isMixed(plan);
  return KINDS.filter((kind) => has[kind]());
}

/** The number of lives with each pair of kinds; of a kind with itself: with this kind. */
export class Census {
  readonly #counts = new Map<string, number>();
  add(kinds: readonly Kind[]): void {
    for (const [place, one] of kinds.entries())
      for (const other of kinds.slice(place)) {
        const pair = `${one} ${other}`;
        this.#counts.set(pair, (this.#counts.get(pair) ?? 0) + 1);
      }
  }
  count(one: Kind, other: Kind = one): number {
    return this.#counts.get(`${one} ${other}`) ?? 0;
  }
  /** A row for each kind, with its pairs. */
  toString(): string {
    const cell = (text: string | number) => String(text).padStart(11);
    const rows = KINDS.map((one, place) =>
      [one, ...KINDS.map((other, column) => (column < place ? '' : this.count(one, other)))].map(cell).join(''),
    );
    return [['', ...KINDS].map(cell).join(''), ...rows].join('\n');
  }
}
