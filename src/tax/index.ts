export { type ChosenTaxRate, chooseTaxRate, type TaxRateSource, type TaxRateSources } from './choose-rate.ts';
export { decidePlace, type PlaceOfSupply, type TaxIdStanding, type TaxTreatment } from './place.ts';
export { registrationProblems, type TaxRegistration } from './registration.ts';
export { type DescribeTaxId, describeTaxId, type TaxIdForm } from './tax-id.ts';
export { type TaxableLine, type TaxBehavior, type TaxedLine, type TaxOfRate, taxLines } from './tax-lines.ts';
export { taxPoint } from './tax-point.ts';
export { describeTaxIdToTry, tryOutAnswer } from './try-out.ts';
