import { Select, TextInput } from '@mantine/core';
import { useMemo } from 'react';
import { useRead } from '../../api/queries.ts';
import type { Plan, PlanVersionPriceSlot, Price, PriceOverride } from '../../api/types.ts';
import { Ref } from '../../frame/to.tsx';
import { Moment, Quantity, quantityText } from '../../look/figures.tsx';
import { cadenceWords } from '../../look/words.ts';
import { type InputProps, Rows } from '../../shape/fields.tsx';
import type { OwnInputProps } from '../../shape/form.tsx';
import { Table } from '../../shape/list.tsx';
import { textOf } from '../../shape/values.ts';
import { phrasesOf } from '../catalog/price-phrases.ts';
import { PriceWords } from '../catalog/price-words.tsx';

export type AnyPrice = Price | PlanVersionPriceSlot;

const TERMS = { in_advance: 'in advance', in_arrears: 'in arrears' } as const;

/** How often a price is billed, and before or after its period. */
export const termWords = ({ billingCadence, paymentTerm }: AnyPrice, planCadence: string): string =>
  `${cadenceWords(billingCadence ?? planCadence)}, ${TERMS[paymentTerm]}`;

/** Prices as they are in a currency: what a price has no entry for is in the plan's. */
export const pricesIn = (prices: readonly AnyPrice[], currency: string): readonly AnyPrice[] =>
  prices.map((price) => ({ ...price, ...price.currencyPrices[currency] }) as AnyPrice);

/**
 * The plan, and the prices of one of its versions; without a number, of its default one. @param currency another one
 * than the plan's
 */
export function usePlanPrices(
  planId: string | undefined,
  versionNumber: number | undefined,
  currency?: string,
): { readonly plan: Plan | undefined; readonly prices: readonly AnyPrice[] | undefined } {
  const isNamed = planId !== undefined && versionNumber !== undefined;
  const { data: plan } = useRead(
    'GET /v0/plans/{id}',
    { path: { id: planId ?? '' } },
    { enabled: planId !== undefined },
  );
  const { data: version } = useRead(
    'GET /v0/plans/{id}/versions/{versionNumber}',
    { path: { id: planId ?? '', versionNumber: String(versionNumber) } },
    { enabled: isNamed },
  );
  const prices = isNamed ? version?.prices : plan?.prices;
  if (currency === undefined || !plan || !prices) return { plan, prices };
  return { plan: { ...plan, currency }, prices: pricesIn(prices, currency) };
}

/** Prices with their terms and, of fees, the quantity of the subscription. */
export function Prices({
  prices,
  plan,
  quantities,
}: {
  readonly prices: readonly AnyPrice[];
  readonly plan: Plan;
  readonly quantities: Readonly<Record<string, unknown>>;
}) {
  return (
    <Table
      caption="Prices"
      rows={prices.map((price) => ({ ...price, quantity: Number(quantities[price.id] ?? price.quantity) }))}
      rowKey={({ id }) => id}
      columns={[
        {
          name: 'Price',
          cell: (price) => (
            <span>
              {price.invoiceDisplayName}
              <span className="block soft fine">{termWords(price, plan.billingCadence)}</span>
            </span>
          ),
        },
        {
          name: 'Amount',
          cell: (price) => <PriceWords price={price} currency={plan.currency} cadence={plan.billingCadence} />,
        },
        {
          name: 'Quantity',
          cell: ({ feeId, quantity }) =>
            feeId === undefined ? <span className="soft">by usage</span> : <Quantity value={quantity} />,
          isFigure: true,
        },
      ]}
    />
  );
}

/** The numbers of a negotiated price: those of its own, or the factor of the list price. */
export const termsOf = ({ multiplier, minimumAmount, maximumAmount }: PriceOverride): string[] =>
  [
    multiplier !== null && `List price × ${quantityText(multiplier)}`,
    minimumAmount !== null && `minimum ${minimumAmount}`,
    maximumAmount !== null && `maximum ${maximumAmount}`,
  ].filter((words) => words !== false);

/** Negotiated prices beside the list prices of the plan. */
export function Overrides({
  overrides,
  prices,
  plan,
}: {
  readonly overrides: readonly PriceOverride[];
  readonly prices: readonly AnyPrice[];
  readonly plan: Plan;
}) {
  const terms = { currency: plan.currency, cadence: plan.billingCadence };
  return (
    <Table
      caption="Negotiated prices"
      rows={overrides.map((override) => ({ override, listed: prices.find(({ id }) => id === override.priceId) }))}
      rowKey={({ override }) => `${override.priceId} ${override.from}`}
      columns={[
        { name: 'Price', cell: ({ override, listed }) => listed?.invoiceDisplayName ?? <Ref id={override.priceId} /> },
        {
          name: 'Agreed',
          cell: ({ override, listed }) => (
            <span>
              {override.properties !== null && listed && (
                <PriceWords price={{ ...listed, properties: override.properties } as AnyPrice} {...terms} />
              )}
              {termsOf(override).map((words) => (
                <span className="block" key={words}>
                  {words}
                </span>
              ))}
            </span>
          ),
        },
        { name: 'From', cell: ({ override: { from } }) => (from === null ? 'the start' : <Moment at={from} />) },
        { name: 'To', cell: ({ override: { to } }) => (to === null ? 'the end' : <Moment at={to} />) },
      ]}
    />
  );
}

interface KnownPlan {
  readonly planId?: string;
  readonly versionNumber?: number;
}

/** Plan and prices that a form is about: those that were chosen in it, else the known ones. */
function useChosen({ planId, versionNumber }: KnownPlan, body: OwnInputProps['body']) {
  const named = Number(body.versionNumber);
  return usePlanPrices(
    (body.planId as string | undefined) ?? planId,
    named || (body.planId === undefined || body.planId === null ? versionNumber : undefined),
  );
}

/** Negotiated prices as rows, each of a price of the plan. */
export function overridesInput(known: KnownPlan) {
  return function OverrideRows(props: OwnInputProps) {
    const { prices } = useChosen(known, props.body);
    const inputs = useMemo(() => ({ priceId: priceOf(prices ?? []) }), [prices]);
    return <Rows {...props} inputs={inputs} />;
  };
}

const priceOf = (prices: readonly AnyPrice[]) =>
  function PriceOf({ value, change, error }: InputProps) {
    return (
      <Select
        label="Price"
        withAsterisk
        data={prices.map(({ id, invoiceDisplayName }) => ({ value: id, label: invoiceDisplayName }))}
        value={(value as string | undefined) ?? null}
        onChange={(id) => change(id ?? undefined)}
        error={error}
      />
    );
  };

/** A quantity for each fee price; only what differs from `present` is sent. */
export function quantitiesInput(known: KnownPlan, present: Readonly<Record<string, number | string>>) {
  return function Quantities({ value, change, error, body }: OwnInputProps) {
    const isNew = known.planId === undefined;
    const { plan, prices } = useChosen(known, body);
    const fees =
      prices?.filter(({ feeId, billingCadence }) => feeId !== undefined && (isNew || billingCadence !== 'P0D')) ?? [];
    const typed = (value as Readonly<Record<string, unknown>> | undefined) ?? {};
    if (!plan || fees.length === 0) return null;
    const set = (id: string, before: string, text: string) => {
      const { [id]: _, ...others } = typed;
      const next = text.trim() === '' || text === before ? others : { ...others, [id]: numberOf(text) };
      change(Object.keys(next).length === 0 ? undefined : next);
    };
    return (
      <fieldset className="stack tight">
        <legend>Quantities</legend>
        {fees.map((price) => {
          const before = textOf(present[price.id] ?? price.quantity);
          return (
            <TextInput
              key={price.id}
              label={price.invoiceDisplayName}
              description={`${oneOf(price, plan)}, ${TERMS[price.paymentTerm]}. ${isNew ? 'Default' : 'Now'}: ${quantityText(before)}`}
              inputMode="numeric"
              placeholder={before}
              value={typed[price.id] === undefined ? '' : String(typed[price.id])}
              onChange={({ target }) => set(price.id, before, target.value)}
            />
          );
        })}
        {error !== undefined && <span className="bad fine">{error}</span>}
      </fieldset>
    );
  };
}

/** A price of one unit in a sentence. */
const oneOf = (price: AnyPrice, { currency, billingCadence }: Plan): string =>
  phrasesOf({ ...price, quantity: 1 }, { currency, cadence: billingCadence, unit: '' }).sentence;

const numberOf = (text: string): unknown => (/^\d+$/.test(text.trim()) ? Number(text) : text);
