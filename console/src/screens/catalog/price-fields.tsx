import { Button, CloseButton, MultiSelect, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { modelOf } from '../../../../src/invoicing/rating/models.ts';
import type { BillableMetric } from '../../api/types.ts';
import type { CellText, Draft, Model, TierText } from './price-draft.ts';

/** A price that is being typed, its changes, and what the server has refused. */
export interface FieldsProps {
  readonly draft: Draft;
  readonly set: (change: Partial<Draft>) => void;
  readonly errorOf: (path: string) => string | undefined;
}

/** The fields that are one line of text. */
type TextField = { [Name in keyof Draft]: Draft[Name] extends string ? Name : never }[keyof Draft];

interface TextProps extends FieldsProps {
  readonly name: TextField;
  readonly label: string;
  readonly about?: string;
  /** The path of its field in the request; absent: its name. */
  readonly path?: string;
  readonly isRequired?: boolean;
  readonly isFigure?: boolean;
}

/** A field of one line. */
export function Text({ draft, set, errorOf, name, label, about, path, isRequired, isFigure = true }: TextProps) {
  return (
    <TextInput
      label={label}
      description={about}
      value={draft[name]}
      onChange={({ target }) => set({ [name]: target.value })}
      error={errorOf(path ?? name)}
      withAsterisk={isRequired ?? false}
      {...(isFigure && { inputMode: 'decimal' as const })}
    />
  );
}

/** Each model in a sentence. */
export const MODELS: readonly (readonly [model: Model, name: string, about: string])[] = [
  ['standard', 'Per unit', 'Every unit costs the same.'],
  [
    'graduated',
    'Tiers, each unit at its own',
    'The first units cost the price of the first tier, further ones that of the next.',
  ],
  ['volume', 'Tiers, all units at one', 'The quantity decides the tier, and all units cost its price.'],
  ['package', 'Packages', 'Units are sold by the package. A begun package is paid in full.'],
  ['percentage', 'Percentage', 'A part of the value that is measured, such as 2.9% of payments.'],
  ['dynamic', 'Priced by the events', 'Each event carries its own price. They are added up.'],
  ['matrix', 'Matrix', 'The price differs by the values of dimensions, such as model or region.'],
];

/** Why a model cannot price this; null where it can. */
export function whyNot(model: Model, subject: Draft['subject'], metric: BillableMetric | undefined): string | null {
  const usable = modelOf({ model }).aggregations;
  if (!usable) return null;
  if (subject === 'fee') return 'Not for a fee, which has no events.';
  if (metric && !usable.includes(metric.aggregation)) return `Needs a metric of ${usable.join(', ')}.`;
  return model === 'matrix' && metric && Object.keys(metric.groupBy ?? {}).length === 0
    ? 'Needs a metric with dimensions.'
    : null;
}

/** A matrix begins with the dimensions of the metric, and a row. */
const firstRow = ({ dimensions }: Draft, metric: BillableMetric | undefined): Partial<Draft> =>
  dimensions.length > 0
    ? {}
    : { dimensions: Object.keys(metric?.groupBy ?? {}), cells: [{ match: {}, unitPrice: '' }] };

/** The choice of the model, each with its sentence. */
export function ModelChoice({ draft, set, metric }: FieldsProps & { readonly metric: BillableMetric | undefined }) {
  return (
    <fieldset className="stack tight">
      <legend className="visually-hidden">How the price is calculated</legend>
      <div className="choices">
        {MODELS.map(([model, name, about]) => {
          const reason = whyNot(model, draft.subject, metric);
          return (
            <label key={model} className={reason === null ? 'choice' : 'choice soft'}>
              <input
                type="radio"
                name="model"
                value={model}
                checked={draft.model === model}
                disabled={reason !== null && draft.model !== model}
                onChange={() => set({ model, ...(model === 'matrix' && firstRow(draft, metric)) })}
              />
              <span>
                <strong>{name}</strong>
                <span className="block fine soft">{reason ?? about}</span>
              </span>
            </label>
          );
        })}
      </div>
    </fieldset>
  );
}

interface PropertiesProps extends FieldsProps {
  readonly currency: string;
  readonly unit: string;
  readonly metric: BillableMetric | undefined;
}

/** The numbers of the chosen model. */
export function PropertiesFields(props: PropertiesProps) {
  const { draft, currency, unit } = props;
  const included = (
    <Text {...props} name="includedUnits" path="properties.includedUnits" label={`Free ${unit}s in each period`} />
  );
  switch (draft.model) {
    case 'standard':
      return (
        <Pair>
          <Text
            {...props}
            name="unitPrice"
            path="properties.unitPrice"
            label={draft.subject === 'fee' ? `Amount (${currency})` : `Price of one ${unit} (${currency})`}
            about="A negative price is a rebate."
            isRequired
          />
          {draft.subject === 'metric' && included}
        </Pair>
      );
    case 'graduated':
    case 'volume':
      return (
        <>
          <Tiers {...props} />
          {included}
        </>
      );
    case 'package':
      return (
        <Pair>
          <Text {...props} name="price" path="properties.price" label={`Price of a package (${currency})`} isRequired />
          <Text {...props} name="size" path="properties.size" label={`Size: ${unit}s in a package`} isRequired />
          {included}
        </Pair>
      );
    case 'percentage':
      return (
        <Pair>
          <Text {...props} name="percent" path="properties.percentage" label="Percent of the value" isRequired />
          <Text {...props} name="fixed" path="properties.fixed" label={`And for each event (${currency})`} />
          <Text {...props} name="minCharge" path="properties.minCharge" label={`At least (${currency})`} />
          <Text {...props} name="maxCharge" path="properties.maxCharge" label={`At most (${currency})`} />
          <Text
            {...props}
            name="eachMin"
            path="properties.perEvent.min"
            label={`At least for each event (${currency})`}
          />
          <Text
            {...props}
            name="eachMax"
            path="properties.perEvent.max"
            label={`At most for each event (${currency})`}
          />
          <Text {...props} name="freeEvents" path="properties.freeEvents" label="Free events in a period" />
          {included}
        </Pair>
      );
    case 'dynamic':
      return (
        <Text
          {...props}
          name="multiplier"
          path="properties.multiplier"
          label="Times"
          about="1.2 adds a fifth to the prices of the events. Empty: 1."
        />
      );
    case 'matrix':
      return <Matrix {...props} />;
  }
}

/** Fields side by side where there is room. */
export const Pair = ({ children }: { readonly children: ReactNode }) => <div className="pair">{children}</div>;

const replaced = <T,>(rows: readonly T[], index: number, change: Partial<T>): readonly T[] =>
  rows.map((row, at) => (at === index ? { ...row, ...change } : row));

const dropped = <T,>(rows: readonly T[], index: number): readonly T[] => rows.filter((_, at) => at !== index);

/** Tiers as rows; the last has no end. */
function Tiers({ draft, set, errorOf, currency, unit }: PropertiesProps) {
  const { tiers } = draft;
  const change = (index: number, each: Partial<TierText>) => set({ tiers: replaced(tiers, index, each) });
  const last = tiers.length - 1;
  const more = () => {
    const before = tiers[last - 1]?.upTo ?? '';
    const upTo = /^\d+$/.test(before) ? `${before}0` : before === '' ? '1000' : '';
    set({ tiers: [...tiers.slice(0, last), { upTo, unitPrice: '', flatPrice: '' }, ...tiers.slice(last)] });
  };
  return (
    <div className="stack tight">
      <table className="table edit">
        <thead>
          <tr>
            <th scope="col">Up to</th>
            <th scope="col">
              Price of one {unit} ({currency})
            </th>
            <th scope="col">For the tier ({currency})</th>
            <th scope="col">
              <span className="visually-hidden">Remove</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tiers.map((tier, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a tier is known by its place alone
            <tr key={index}>
              <td>
                {index === last ? (
                  <span className="soft">all further ones</span>
                ) : (
                  <TextInput
                    aria-label={`Tier ${index + 1}: up to`}
                    inputMode="decimal"
                    value={tier.upTo}
                    onChange={({ target }) => change(index, { upTo: target.value })}
                    error={errorOf(`properties.tiers.${index}.upTo`)}
                  />
                )}
              </td>
              {(['unitPrice', 'flatPrice'] as const).map((name) => (
                <td key={name}>
                  <TextInput
                    aria-label={`Tier ${index + 1}: ${name === 'unitPrice' ? 'price of a unit' : 'amount for the tier'}`}
                    inputMode="decimal"
                    value={tier[name]}
                    onChange={({ target }) => change(index, { [name]: target.value })}
                    error={errorOf(`properties.tiers.${index}.${name}`)}
                  />
                </td>
              ))}
              <td>
                {tiers.length > 1 && (
                  <CloseButton
                    aria-label={`Remove tier ${index + 1}`}
                    onClick={() => set({ tiers: dropped(tiers, index) })}
                  />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div>
        <Button variant="default" onClick={more}>
          Add a tier
        </Button>
      </div>
    </div>
  );
}

/** A matrix as rows: the values that match, and their price. */
function Matrix({ draft, set, errorOf, metric, currency, unit }: PropertiesProps) {
  const { dimensions, cells } = draft;
  const change = (index: number, each: Partial<CellText>) => set({ cells: replaced(cells, index, each) });
  return (
    <div className="stack tight">
      <MultiSelect
        label="Dimensions"
        description="The dimensions of the metric that decide the price."
        data={Object.keys(metric?.groupBy ?? {})}
        value={[...dimensions]}
        onChange={(names) =>
          set({
            dimensions: names,
            cells: cells.map(({ match, unitPrice }) => ({
              unitPrice,
              match: Object.fromEntries(Object.entries(match).filter(([name]) => names.includes(name))),
            })),
          })
        }
        error={errorOf('properties.dimensions')}
        withAsterisk
      />
      {dimensions.length > 0 && (
        <>
          <table className="table edit">
            <thead>
              <tr>
                {dimensions.map((name) => (
                  <th scope="col" key={name}>
                    {name}
                  </th>
                ))}
                <th scope="col">
                  Price of one {unit} ({currency})
                </th>
                <th scope="col">
                  <span className="visually-hidden">Remove</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {cells.map((cell, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a cell is known by its place alone
                <tr key={index}>
                  {dimensions.map((name) => (
                    <td key={name}>
                      <TextInput
                        aria-label={`Row ${index + 1}: ${name}`}
                        placeholder="any"
                        value={cell.match[name] ?? ''}
                        onChange={({ target }) => change(index, { match: { ...cell.match, [name]: target.value } })}
                        error={errorOf(`properties.cells.${index}.match`)}
                      />
                    </td>
                  ))}
                  <td>
                    <TextInput
                      aria-label={`Row ${index + 1}: price of a unit`}
                      inputMode="decimal"
                      value={cell.unitPrice}
                      onChange={({ target }) => change(index, { unitPrice: target.value })}
                      error={errorOf(`properties.cells.${index}.unitPrice`)}
                    />
                  </td>
                  <td>
                    <CloseButton
                      aria-label={`Remove row ${index + 1}`}
                      onClick={() => set({ cells: dropped(cells, index) })}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <div>
            <Button variant="default" onClick={() => set({ cells: [...cells, { match: {}, unitPrice: '' }] })}>
              Add a row
            </Button>
          </div>
        </>
      )}
      <Text
        {...{ draft, set, errorOf }}
        name="others"
        path="properties.default"
        label={`Price of one ${unit} for all others (${currency})`}
        isRequired
      />
    </div>
  );
}
