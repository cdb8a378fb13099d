import { minorDigits } from '../../kernel/currency.ts';
import { Decimal } from '../../kernel/decimal.ts';
import { ProviderAway, ProviderRefused, stripeDigits } from '../../payments/index.ts';

const MOST = 99_999_999_999;

/**
 * An amount as Stripe Tax takes it. Unlike payments, tax has no coarsest unit: nothing is charged with these amounts.
 * @throws ProviderRefused for an amount beyond Stripe's numbers
 */
export function toTaxUnits(amount: Decimal, currency: string): number {
  const units = amount.times(new Decimal(10).pow(stripeDigits(currency)));
  if (units.abs().gt(MOST)) throw new ProviderRefused(`Stripe Tax cannot take ${amount.toFixed()} ${currency}.`);
  return Number(units.toFixed());
}

/** An amount as Stripe Tax answers it. @throws ProviderAway where it has more digits than the currency */
export function fromTaxUnits(units: number, currency: string): Decimal {
  const amount = new Decimal(units).div(new Decimal(10).pow(stripeDigits(currency)));
  if (amount.decimalPlaces() > minorDigits(currency))
    throw new ProviderAway(`Stripe Tax answered ${amount.toFixed()} ${currency}, which has too many digits.`);
  return amount;
}
