import { decimal, plain } from '../../kernel/decimal.ts';
import type { DocumentLine, DocumentTier, InvoiceDocument } from '../document.ts';
import { scalesOf } from '../price-scales.ts';
import { timeOfLine } from '../time-of-supply.ts';
import { DOCUMENT_WORDS } from '../words.ts';
import { amountText, type PricedQuantity, pricedQuantity } from './amounts.ts';
import { periodOf } from './dates.ts';
import { cleanText } from './parties.ts';
import { categoriesOf, type TaxCategory } from './tax-category.ts';
import { type Child, type Element, element, elementWith } from './xml.ts';

const MOST_DESCRIPTION = 10_000;

/**
 * UN/ECE recommendation 20: "one". What is counted is the merchant's own word, and stands as an attribute of the item.
 */
const PIECE = { unitCode: 'C62' };

/** BG-25: the lines, numbered from 1. */
export function linesOf(document: InvoiceDocument): Element[] {
  const categoryOf = categoriesOf(document);
  const scale = scalesOf(document);
  return document.lines.map((line, index) => {
    const priced = pricedQuantity(line, document.currency, scale(line));
    return lineOf(line, String(index + 1), { category: categoryOf(line), ...priced }, document);
  });
}

function lineOf(
  line: DocumentLine,
  number: string,
  { category, quantity, price, basis }: PricedQuantity & { readonly category: TaxCategory },
  { currency, locale, sections }: Pick<InvoiceDocument, 'currency' | 'locale' | 'sections'>,
): Element {
  return element(
    'ram:IncludedSupplyChainTradeLineItem',
    element('ram:AssociatedDocumentLineDocument', element('ram:LineID', number), noteOf(line, sections)),
    productOf(line, DOCUMENT_WORDS[locale].eInvoice.unit),
    element(
      'ram:SpecifiedLineTradeAgreement',
      element(
        'ram:NetPriceProductTradePrice',
        element('ram:ChargeAmount', plain(price)),
        basis !== null && elementWith('ram:BasisQuantity', PIECE, plain(basis)),
      ),
    ),
    element('ram:SpecifiedLineTradeDelivery', elementWith('ram:BilledQuantity', PIECE, plain(quantity))),
    element(
      'ram:SpecifiedLineTradeSettlement',
      element('ram:ApplicableTradeTax', element('ram:TypeCode', 'VAT'), rateOf(category, line)),
      periodOf(timeOfLine(line)),
      element(
        'ram:SpecifiedTradeSettlementLineMonetarySummation',
        element('ram:LineTotalAmount', amountText(decimal(line.amount), currency)),
      ),
    ),
  );
}

/** BT-127: the section of a grouped invoice, and the calculation of the amount, as the document says it. */
function noteOf({ notes, section }: DocumentLine, sections: InvoiceDocument['sections']): Child {
  const heading = section == null ? [] : [sections?.[section]?.name ?? ''];
  const text = cleanText([...heading, ...(notes ?? [])].join('; '), MOST_DESCRIPTION);
  return text !== null && element('ram:IncludedNote', element('ram:Content', text));
}

/** The category, and its rate; one that is not subject to tax has none (BR-O-5). */
const rateOf = (category: TaxCategory, line: DocumentLine): Child => [
  element('ram:CategoryCode', category),
  category !== 'O' && element('ram:RateApplicablePercent', plain(decimal(line.taxRate))),
];

function productOf(line: DocumentLine, unitLabel: string): Element {
  const tiers = line.tiers ?? [];
  return element(
    'ram:SpecifiedTradeProduct',
    element('ram:Name', cleanText(line.description, MOST_DESCRIPTION) ?? '–'), // BR-25 wants a name
    tiers.length > 0 && element('ram:Description', tiers.map(tierText).join('; ')),
    attributeOf(unitLabel, line.unit),
    Object.entries(line.group ?? {}).map(([dimension, value]) => attributeOf(dimension, value)),
  );
}

/** BG-32: the groups of the line, and its count. */
function attributeOf(name: string, value: string | null | undefined): Child {
  const [known, text] = [cleanText(name), cleanText(value)];
  return (
    known !== null &&
    text !== null &&
    element('ram:ApplicableProductCharacteristic', element('ram:Description', known), element('ram:Value', text))
  );
}

/** `0–100: 100 × 0.5 = 50.00`, with `+ 10` for a flat price. */
const tierText = ({ from, upTo, quantity, unitPrice, flatPrice, amount }: DocumentTier): string => {
  const flat = flatPrice != null && !decimal(flatPrice).isZero() ? ` + ${flatPrice}` : '';
  return `${from}–${upTo ?? '∞'}: ${quantity} × ${unitPrice}${flat} = ${amount}`;
};
