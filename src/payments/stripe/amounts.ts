import { minorDigits } from '../../kernel/currency.ts';
import { Decimal } from '../../kernel/decimal.ts';
import { ProviderRefused } from '../provider/remote.ts';

/**
 * Stripe takes amounts as integers. For most currencies they count the minor unit of ISO 4217. The exceptions are on
 * Stripe's page on currencies, "Special cases".
 */
const DIGITS_AT_STRIPE: Readonly<Record<string, number>> = {
  ISK: 2, // without minor units since 2011; Stripe keeps two digits, and both are 0
  UGX: 2, // the same
  MGA: 0, // ISO counts in fifths; Stripe takes whole ariary only
};

/** Stripe takes the third digit of these currencies only as 0. */
const COARSEST_UNIT: Readonly<Record<string, number>> = {
  ISK: 100,
  UGX: 100,
  BHD: 10,
  JOD: 10,
  KWD: 10,
  OMR: 10,
  TND: 10,
};

const MOST = 99_999_999;

/** How many digits Stripe counts in a currency. */
export const digitsOf = (currency: string): number => DIGITS_AT_STRIPE[currency] ?? minorDigits(currency);

/** An amount as Stripe takes it. @throws ProviderRefused for an amount that Stripe cannot take in this currency */
export function toStripeUnits(amount: Decimal, currency: string): number {
  const units = amount.times(new Decimal(10).pow(digitsOf(currency)));
  const unit = COARSEST_UNIT[currency] ?? 1;
  if (!units.mod(unit).isZero())
    throw new ProviderRefused(
      `Stripe cannot take ${amount.toFixed()} ${currency}: its smallest step is ${stepOf(currency)}.`,
    );
  if (units.gt(MOST)) throw new ProviderRefused(`Stripe cannot take ${amount.toFixed()} ${currency}: it is too much.`);
  return Number(units.toFixed());
}

const stepOf = (currency: string): string =>
  new Decimal(COARSEST_UNIT[currency] ?? 1).div(new Decimal(10).pow(digitsOf(currency))).toFixed();

/** An amount as Stripe answers it. */
export const fromStripeUnits = (units: number, currency: string): Decimal =>
  new Decimal(units).div(new Decimal(10).pow(digitsOf(currency.toUpperCase())));
