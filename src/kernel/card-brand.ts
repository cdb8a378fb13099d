const BRANDS: Readonly<Record<string, string>> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  discover: 'Discover',
  diners: 'Diners Club',
  jcb: 'JCB',
  unionpay: 'UnionPay',
};

/**
 * The brand of a card as it is written on the card, such as `Visa` for `visa`; undefined for a brand that is not known.
 */
export const cardBrandName = (brand: string): string | undefined =>
  Object.hasOwn(BRANDS, brand) ? BRANDS[brand] : undefined;
