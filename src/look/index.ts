/** One look: the words, figures, colours and sizes of everything that a customer reads. */
export { addressLines, countryNames } from './address.ts';
export { brandName, breakable, daysOf, type Figures, figuresOf } from './figures.ts';
export { lineNameIn } from './line-names.ts';
export { placeOf } from './places.ts';
export { type Forms, pluralOf } from './plural.ts';
export { type DisplayUnit, priceFor, quantityIn, type Scale, scaleOf } from './price.ts';
export { OWN_REASONS, reasonIn } from './reasons.ts';
export {
  hasVatNumber,
  isInEu,
  legalTitle,
  numberOf,
  type TaxWord,
  taxIdText,
  taxNames,
  taxWord,
} from './tax-words.ts';
export { TERMS, type Terms } from './terms.ts';
export { cleanLine, isRightToLeft, manyLines, oneLine, REPLACEMENT, reductions } from './text.ts';
export { FONTS, groundsOf, PALETTES, type Palette, SIZES } from './tokens.ts';
export { unitOf } from './units.ts';
