import { type Decimal, decimal, ZERO } from '../../kernel/decimal.ts';
import type { Tiers } from './properties.ts';

/** The phrases of a price page in a language and a currency; a rate is an amount with all its digits. */
export interface PricePhrases {
  readonly rate: (amount: Decimal) => string;
  readonly number: (value: Decimal) => string;
  /** So much for each unit of a metric; of a fee, its quantity at this price. */
  readonly units: (unitPrice: Decimal) => string;
  readonly each: (rate: string) => string;
  readonly upTo: (bound: string) => string;
  readonly above: (bound: string) => string;
  readonly flat: (rate: string) => string;
  readonly byVolume: (rates: string) => string;
  readonly byPackage: (rate: string, size: string) => string;
  /** A share of the value; `percent` is a number without its sign. */
  readonly share: (percent: string) => string;
  readonly from: (rate: string) => string;
  readonly perUse: string;
}

/** `$0.10 up to 1,000; $0.08 above 1,000 plus $5.00`. */
export const describeTiers = (tiers: Tiers, say: PricePhrases): string =>
  tiers
    .map(({ upTo, unitPrice, flatPrice }, index) => {
      const before = decimal(tiers[index - 1]?.upTo ?? 0);
      const bound = upTo === null ? say.above(say.number(before)) : say.upTo(say.number(decimal(upTo)));
      const flat = decimal(flatPrice ?? ZERO);
      return `${say.rate(decimal(unitPrice))} ${bound}${flat.isZero() ? '' : ` ${say.flat(say.rate(flat))}`}`;
    })
    .join('; ');
