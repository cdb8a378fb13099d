import { decimal, plain, sum, ZERO } from '../../kernel/decimal.ts';
import type { InvoiceDocument } from '../document.ts';
import { settledText, whenToPay } from '../payment-terms.ts';
import { DOCUMENT_WORDS } from '../words.ts';
import { amountText } from './amounts.ts';
import { dateIn, formattedDateIn } from './dates.ts';
import { periodOfSupply } from './delivery.ts';
import { cleanText } from './parties.ts';
import { type TaxGroup, taxGroups, taxOf } from './tax-category.ts';
import { type Child, type Element, element, elementWith } from './xml.ts';

/** UNCL 4461. */
const ONLINE = '68';
const NOT_DEFINED = '1';
const TRANSFER = '30';
const SEPA_TRANSFER = '58';

/** The totals of an invoice (BG-22), each from the ones before it in the way of EN 16931 (BR-CO-10 to BR-CO-16). */
export function monetaryTotals(document: InvoiceDocument, groups: readonly TaxGroup[]) {
  const lines = sum(document.lines.map(({ amount }) => decimal(amount)));
  const tax = taxOf(groups);
  const total = lines.plus(tax);
  const prepaid = document.kind === 'credit_note' ? ZERO : decimal(document.paidAmount);
  return { lines, tax, total, prepaid, due: total.minus(prepaid) };
}

/** BG-14, BG-16, BG-22, BG-23 and the invoice that a credit note is to (BG-3). */
export function settlementOf(document: InvoiceDocument): Element {
  const { currency } = document;
  const groups = taxGroups(document);
  return element(
    'ram:ApplicableHeaderTradeSettlement',
    element('ram:PaymentReference', cleanText(document.number) ?? '–'),
    element('ram:InvoiceCurrencyCode', currency),
    meansOf(document),
    groups.map((group) => taxGroupOf(group, currency)),
    periodOfSupply(document),
    termsOf(document),
    totalsOf(document, groups),
    originalOf(document),
  );
}

const meansOfCode = (code: string): Element =>
  element('ram:SpecifiedTradeSettlementPaymentMeans', element('ram:TypeCode', code));

/**
 * BG-16 and BG-17: how money is paid. A transfer names its account (BR-61). The means are "not defined" where no
 * account is known and where no money is asked for: XRechnung wants the group on every document (BR-DE-1).
 */
function meansOf({ kind, unpaidAmount, paymentUrl, bankTransfer, currency }: InvoiceDocument): Element {
  if (kind === 'credit_note' || !decimal(unpaidAmount).gt(0)) return meansOfCode(NOT_DEFINED);
  const [iban, account] = [cleanText(bankTransfer?.iban), cleanText(bankTransfer?.account)];
  if (paymentUrl) return meansOfCode(ONLINE);
  if (iban === null && account === null) return meansOfCode(NOT_DEFINED);
  const [holder, bic] = [cleanText(bankTransfer?.holder), cleanText(bankTransfer?.bic)];
  return element(
    'ram:SpecifiedTradeSettlementPaymentMeans',
    element('ram:TypeCode', iban !== null && currency === 'EUR' ? SEPA_TRANSFER : TRANSFER),
    element(
      'ram:PayeePartyCreditorFinancialAccount',
      iban !== null && element('ram:IBANID', iban),
      holder !== null && element('ram:AccountName', holder),
      iban === null && account !== null && element('ram:ProprietaryID', account),
    ),
    bic !== null && element('ram:PayeeSpecifiedCreditorFinancialInstitution', element('ram:BICID', bic)),
  );
}

const taxGroupOf = ({ category, rate, base, tax, reason, reasonCode }: TaxGroup, currency: string): Element =>
  element(
    'ram:ApplicableTradeTax',
    element('ram:CalculatedAmount', amountText(tax, currency)),
    element('ram:TypeCode', 'VAT'),
    reason !== null && element('ram:ExemptionReason', reason),
    element('ram:BasisAmount', amountText(base, currency)),
    element('ram:CategoryCode', category),
    reasonCode !== null && element('ram:ExemptionReasonCode', reasonCode),
    element('ram:RateApplicablePercent', plain(rate)), // of category O it is 0, which XRechnung wants (BR-DE-14)
  );

/** BT-20 and BT-9: BR-CO-25 wants one of them wherever something is due. The words are those of the document. */
function termsOf(document: InvoiceDocument): Element {
  const { kind, locale, dueAt, unpaidAmount } = document;
  const words = DOCUMENT_WORDS[locale];
  const said = (text: string, ...more: Child[]): Element =>
    element('ram:SpecifiedTradePaymentTerms', element('ram:Description', text), ...more);
  if (kind === 'credit_note') return said(words.eInvoice.credit);
  if (!decimal(unpaidAmount).gt(0)) return said(`${settledText(document)}.`);
  const when = whenToPay(document);
  const where = cleanText(document.paymentUrl, 2048);
  return said(
    where === null ? when : `${when} ${words.template.payOnlineAt} ${where}`,
    dueAt !== null && dateIn('ram:DueDateDateTime', dueAt),
  );
}

function totalsOf(document: InvoiceDocument, groups: readonly TaxGroup[]): Element {
  const { currency } = document;
  const { lines, tax, total, prepaid, due } = monetaryTotals(document, groups);
  return element(
    'ram:SpecifiedTradeSettlementHeaderMonetarySummation',
    element('ram:LineTotalAmount', amountText(lines, currency)),
    element('ram:TaxBasisTotalAmount', amountText(lines, currency)),
    elementWith('ram:TaxTotalAmount', { currencyID: currency }, amountText(tax, currency)),
    element('ram:GrandTotalAmount', amountText(total, currency)),
    !prepaid.isZero() && element('ram:TotalPrepaidAmount', amountText(prepaid, currency)),
    element('ram:DuePayableAmount', amountText(due, currency)),
  );
}

/** The invoice before it (BG-3): the one that it credits, or replaces. */
function originalOf({ original, replaces }: InvoiceDocument): Child {
  const before = original ?? replaces;
  return (
    before != null &&
    element(
      'ram:InvoiceReferencedDocument',
      element('ram:IssuerAssignedID', cleanText(before.number) ?? '–'),
      formattedDateIn('ram:FormattedIssueDateTime', before.issuedAt),
    )
  );
}
