import { type Scale, scaleOf } from '../look/index.ts';
import type { DocumentLine, InvoiceDocument } from './document.ts';

/** The price of a line, by its id, or else by its name and unit. */
const priceNameOf = ({ price, description, unit }: DocumentLine): string => price ?? `${description}\n${unit ?? ''}`;

/** The prices of one unit that a line shows: of its tiers, or its own. */
function shownPrices({ isAmount, agreed, tiers, unitPrice }: DocumentLine): string[] {
  if (isAmount === true || agreed) return [];
  return tiers && tiers.length > 0 ? tiers.map((tier) => tier.unitPrice) : [unitPrice];
}

/**
 * For how many units each line of a document shows its prices: its display unit, else the lines of one price, with
 * their tiers, have one scale. The e-invoice has the same.
 */
export function scalesOf({
  lines,
  currency,
}: Pick<InvoiceDocument, 'lines' | 'currency'>): (line: DocumentLine) => Scale {
  const scales = new Map<string, number>();
  for (const [name, ofPrice] of Map.groupBy(lines, priceNameOf))
    scales.set(name, scaleOf(ofPrice.flatMap(shownPrices), currency));
  return (line) => line.display?.per ?? scales.get(priceNameOf(line)) ?? 1;
}
