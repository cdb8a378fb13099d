/**
 * The codes of Stripe for our words of a plan's `defaultTaxCode` (stripe.com/docs/tax/tax-codes). `eservice` is the
 * default of plans: services supplied electronically.
 */
const CODES: Readonly<Record<string, string>> = {
  eservice: 'txcd_10000000', // General: electronically supplied services
  saas: 'txcd_10103001', // Software as a service: business use
  saas_personal: 'txcd_10103000', // Software as a service: personal use
};

const OF_STRIPE = /^txcd_\d{8}$/;

/** The code at Stripe; undefined: the default code of the account's tax settings. */
export function stripeTaxCode(code: string | null): string | undefined {
  if (code === null) return;
  if (OF_STRIPE.test(code)) return code;
  return Object.hasOwn(CODES, code) ? CODES[code] : undefined;
}
