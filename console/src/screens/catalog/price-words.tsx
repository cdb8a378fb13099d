import { useRead } from '../../api/queries.ts';
import type { EntitlementTemplate, Price } from '../../api/types.ts';
import { Ref } from '../../frame/to.tsx';
import { quantityText } from '../../look/figures.tsx';
import { cadenceWords } from '../../look/words.ts';
import { type Phrases, phrasesOf, type SpokenPrice } from './price-phrases.ts';

/** The units of a price's metric; empty while it is on its way, and of a fee. */
function useUnits(metricId: string | undefined) {
  const { data } = useRead(
    'GET /v0/billableMetrics/{id}',
    { path: { id: metricId ?? '' } },
    { enabled: metricId !== undefined },
  );
  return { unit: data?.unit ?? '', displayUnit: data?.displayUnit ?? null };
}

interface PriceWordsProps {
  readonly price: SpokenPrice & Pick<Partial<Price>, 'features' | 'billableMetricId'>;
  readonly currency: string;
  readonly cadence: string;
}

/** The whole price in words: what a unit costs, what is free, its bounds, tiers as a table, and what it gives. */
export function PriceWords({ price, currency, cadence }: PriceWordsProps) {
  const units = useUnits(price.billableMetricId);
  return (
    <div className="stack tight">
      <Words of={phrasesOf(price, { currency, cadence, ...units })} />
      {price.features?.map(({ id, featureId, feature, entitlementTemplate }) => (
        <p className="fine soft" key={id}>
          Gives <Ref id={featureId} name={feature.name} /> {templateWords(entitlementTemplate)}
        </p>
      ))}
    </div>
  );
}

/** The whole price in words, then what it is in each other currency. */
export function PriceInCurrencies({
  price,
  currency,
  cadence,
}: Omit<PriceWordsProps, 'price'> & { readonly price: Price }) {
  return (
    <div className="stack tight">
      <PriceWords price={price} currency={currency} cadence={cadence} />
      {Object.entries(price.currencyPrices).map(([other, figures]) => (
        <PriceWords
          key={other}
          price={{ ...price, ...figures, features: [] } as Price}
          currency={other}
          cadence={cadence}
        />
      ))}
    </div>
  );
}

/** The sentences of a price, and its table. */
export function Words({ of: { sentence, notes, table } }: { readonly of: Phrases }) {
  return (
    <>
      <p>{[sentence, ...notes].join('; ')}</p>
      {table && <WordTable table={table} />}
    </>
  );
}

function WordTable({ table }: { readonly table: NonNullable<Phrases['table']> }) {
  return (
    <div className="table-box">
      <table className="table rates">
        <thead>
          <tr>
            {table.heads.map((head, index) => (
              <th key={head} scope="col" className={index > 0 ? 'right' : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row) => (
            <tr key={row[0]}>
              {row.map((text, index) => (
                <td key={table.heads[index]} className={index > 0 ? 'right figure' : undefined}>
                  {text}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** How much of a feature a price gives: `500 units monthly`; empty where it is access alone. */
export function templateWords(template: EntitlementTemplate): string {
  if (template.type !== 'metered') return template.type === 'static' ? 'with its configuration' : '';
  const { issueAfterReset, usagePeriod, isSoftLimit } = template;
  return [
    ...(issueAfterReset === undefined
      ? []
      : [`${quantityText(issueAfterReset)} units ${usagePeriod ? cadenceWords(usagePeriod.interval) : 'once'}`]),
    ...(isSoftLimit ? ['access also beyond the units'] : []),
  ].join(', ');
}
