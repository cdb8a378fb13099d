import { cardBrandName } from '../../kernel/card-brand.ts';
import { minorDigits } from '../../kernel/currency.ts';
import { type Decimal, plain } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';

/** `$1,234.50`: an amount for a person, with the digits of its currency. Intl reads the text, so none is lost. */
export function money(amount: Decimal, currency: string): string {
  const digits = minorDigits(currency);
  const format = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return format.format(plain(amount) as Intl.StringNumericLiteral).replace('-', '\u2212');
}

/** `12 March 2026`, the UTC day. */
export const day = (instant: Instant): string =>
  instant.toLocaleString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** `12 March 2026, 14:05 UTC`. */
export const minute = (instant: Instant): string =>
  `${day(instant)}, ${instant.toLocaleString('en-GB', { timeStyle: 'short', timeZone: 'UTC' })} UTC`;

/** `Visa`: the brand of a card as it is written on the card. */
export const brandName = (brand: string): string => cardBrandName(brand) ?? brand;

/** `Visa ending in 4242`. */
export const cardName = ({ brand, last4 }: { readonly brand: string; readonly last4: string }): string =>
  `${brandName(brand)} ending in ${last4}`;
