export { type ChosenTaxRate, chooseTaxRate, type TaxRateSource, type TaxRateSources } from './choose-rate.ts';
export { type TaxableLine, type TaxBehavior, type TaxedLine, type TaxOfRate, taxLines } from './tax-lines.ts';
