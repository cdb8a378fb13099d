import { Select, TextInput } from '@mantine/core';
import { useDeferredValue, useMemo, useState } from 'react';
import { decimal, plain } from '../../../../src/kernel/decimal.ts';
import { Money, Quantity } from '../../look/figures.tsx';
import { Chart } from '../../shape/chart.tsx';
import { Table } from '../../shape/list.tsx';
import { Sheet } from '../../shape/page.tsx';
import { amountOf, examplesOf, mostOf, quantitiesOf, type Terms } from './rated.ts';

interface Cell {
  readonly match: Readonly<Record<string, string>>;
}

const cellsOf = ({ model, properties }: Terms): readonly Cell[] =>
  model === 'matrix' ? (properties as { cells: readonly Cell[] }).cells : [];

const AVERAGE_DIGITS = 4;

/** What a unit costs on the average. */
const perUnit = (amount: string | null, quantity: string): string | null =>
  amount === null || decimal(quantity).isZero()
    ? null
    : plain(decimal(amount).div(decimal(quantity)).toSignificantDigits(AVERAGE_DIGITS));

/** The price over its quantity, calculated in the browser by the rules that bill it: drawn, and five of its figures. */
export function PriceCurve({
  terms,
  before,
  unit,
}: {
  readonly terms: Terms;
  /** The price that it replaces. */
  readonly before: Terms | undefined;
  readonly unit: string;
}) {
  const [typedMost, setMost] = useState('');
  const [unitsPerEvent, setUnitsPerEvent] = useState('100');
  const [cell, setCell] = useState<string | null>(null);
  const shown = useDeferredValue(terms);
  const most = typedMost || mostOf(shown);
  const cells = cellsOf(shown);
  const match = cells[Number(cell ?? -1)]?.match;
  const ofEvents = ['fixed', 'perEvent', 'freeEvents'];
  const hasEvents = shown.model === 'percentage' && ofEvents.some((field) => field in (shown.properties as object));
  const series = useMemo(() => {
    const origin = { ...(hasEvents && { unitsPerEvent }), ...(match && { match }) };
    const quantities = quantitiesOf(shown, most);
    const lineOf = (name: string, each: Terms) => ({
      name,
      points: quantities.flatMap((quantity) => {
        const amount = amountOf(each, quantity, origin);
        return amount === null ? [] : [[Number(quantity), Number(amount)] as const];
      }),
    });
    return [...(before ? [lineOf('The price today', before)] : []), lineOf('This price', shown)];
  }, [shown, before, most, hasEvents, unitsPerEvent, match]);
  const rows = useMemo(() => {
    const origin = { ...(hasEvents && { unitsPerEvent }), ...(match && { match }) };
    return examplesOf(shown, most).map((quantity) => ({
      quantity,
      amount: amountOf(shown, quantity, origin),
      today: before ? amountOf(before, quantity, origin) : null,
    }));
  }, [shown, before, most, hasEvents, unitsPerEvent, match]);
  const isWhole = (series.at(-1)?.points.length ?? 0) > 0;
  const { currency } = shown;
  return (
    <Sheet title="Price over quantity">
      <div className="stack tight">
        {isWhole ? (
          <>
            <Chart
              label={`The amount of a period in ${currency} for 0 to ${most} ${unit}s; the table below has figures.`}
              series={series}
              xKind="number"
              kind="line"
              height={220}
            />
            <Table
              caption="The amount of a period by quantity"
              rows={rows}
              rowKey={({ quantity }) => quantity}
              columns={[
                { name: `Quantity (${unit}s)`, cell: ({ quantity }) => <Quantity value={quantity} />, isFigure: true },
                { name: 'Amount', cell: ({ amount }) => <Money value={amount} currency={currency} />, isFigure: true },
                {
                  name: 'Per unit',
                  cell: ({ amount, quantity }) => <Money value={perUnit(amount, quantity)} currency={currency} />,
                  isFigure: true,
                },
                ...(before
                  ? [
                      {
                        name: 'Today',
                        cell: ({ today }: (typeof rows)[number]) => <Money value={today} currency={currency} />,
                        isFigure: true,
                      },
                    ]
                  : []),
              ]}
            />
          </>
        ) : (
          <p className="soft">The curve appears as soon as the figures of the price are complete.</p>
        )}
        <div className="pair">
          <TextInput
            label="Up to this quantity"
            inputMode="decimal"
            value={typedMost}
            placeholder={mostOf(shown)}
            onChange={({ target }) => setMost(target.value.trim())}
          />
          {hasEvents && (
            <TextInput
              label="Value of one event"
              inputMode="decimal"
              value={unitsPerEvent}
              onChange={({ target }) => setUnitsPerEvent(target.value.trim())}
            />
          )}
          {cells.length > 0 && (
            <Select
              label="If all usage is of"
              value={cell ?? 'others'}
              onChange={(value) => setCell(value === 'others' ? null : value)}
              data={[
                { value: 'others', label: 'All others' },
                ...cells.map((each, index) => ({
                  value: String(index),
                  label: Object.values(each.match).join(', ') || `Row ${index + 1}`,
                })),
              ]}
            />
          )}
        </div>
      </div>
    </Sheet>
  );
}
