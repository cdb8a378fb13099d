import { decimal } from '../../kernel/decimal.ts';
import type { Locale } from '../../kernel/locale.ts';
import {
  type CreditFacts,
  cancelledMail,
  creditedMail,
  type DeclineFacts,
  declinedMail,
  type InvoiceFacts,
  issuedMail,
  type PaymentFacts,
  paidMail,
  partPaidMail,
  type RenewalFacts,
  refundedMail,
  refundVoidedMail,
  renewalMail,
  reversedMail,
  type TrialFacts,
  trialMail,
} from '../compose.ts';
import { type AlertFacts, customerAlertMail, merchantAlertMail } from '../compose-alert.ts';
import type { MailContent } from '../content.ts';
import type { Writer } from '../correspondents.ts';
import type { MailKind } from '../kinds.ts';
import { portalContent } from '../portal-mail.ts';

/** The names that strangers choose in a mail. */
interface Names {
  readonly seller: string;
  readonly buyer: string;
  readonly number: string;
  readonly plan: string;
}

export const NAMES: Names = {
  ...{ seller: 'Halcyon Labs', buyer: 'Prodromos Ltd', number: 'INV-000042', plan: 'Pro' },
};

export const DOOR = 'https://pay.example/portal/org_0a';
export const NOW = Temporal.Instant.from('2026-02-03T12:00:00Z');

const writer = (name: string): Writer => ({
  name,
  legalName: `${name} GmbH`,
  address: { line1: 'Torstraße 140', zipCode: '10119', city: 'Berlin', country: 'DE' },
  email: 'accounts@halcyon.example',
  phone: '+49 30 901820',
  accent: '#0b7a75',
});

export const invoiceFacts = (locale: Locale = 'en', { seller, buyer, number } = NAMES): InvoiceFacts => ({
  locale,
  seller: writer(seller),
  buyerName: buyer,
  number,
  currency: 'EUR',
  grandTotal: decimal('1234.5'),
  unpaid: decimal('1000'),
  credited: decimal('0'),
  paid: decimal('234.5'),
  issuedAt: Temporal.Instant.from('2026-02-01T00:00:00Z'),
  dueAt: Temporal.Instant.from('2026-03-01T00:00:00Z'),
  fromWallet: decimal('0'),
  page: 'https://pay.example/pay/invoices/inv_0a',
  account: DOOR,
  paysOnline: true,
  bank: null,
});

export const PAYMENT: PaymentFacts = { amount: decimal('1200'), method: 'Visa •••• 4242', receivedAt: NOW };
export const CREDIT: CreditFacts = {
  number: 'CN-000007',
  total: decimal('100'),
  returns: [],
  off: decimal('0'),
  intoWallet: decimal('0'),
};
export const DECLINE: DeclineFacts = { card: 'Visa 4242', reason: 'card_declined', retryAt: null, end: null };

export const renewalFacts = (locale: Locale = 'en', { seller, buyer, plan } = NAMES): RenewalFacts => ({
  ...{ locale, seller: writer(seller), buyerName: buyer, planName: plan },
  renewsAt: Temporal.Instant.from('2026-03-01T00:00:00Z'),
  estimate: { amount: decimal('290'), currency: 'EUR' },
  card: 'Visa 4242',
  account: { url: DOOR, canChange: true, canCancel: true },
});

export const trialFacts = (locale: Locale = 'en', names = NAMES): TrialFacts => {
  const { renewsAt: trialEnd, estimate: _, ...facts } = renewalFacts(locale, names);
  return { ...facts, trialEnd, follows: 'invoice' };
};

export const alertFacts = (locale: Locale = 'en', { seller, buyer, plan } = NAMES): AlertFacts => ({
  ...{ locale, seller: writer(seller), buyerName: buyer, customerId: 'cus_0a', alertId: 'alr_0a' },
  ...{ alertName: `Most of ${plan}`, type: 'usage', metricName: 'Pages', featureName: null, currency: null },
  ...{ unit: 'page', threshold: null, percent: decimal('80'), whole: decimal('1000'), value: decimal('850') },
  periodStart: Temporal.Instant.from('2026-02-01T00:00:00Z'),
  periodEnd: Temporal.Instant.from('2026-03-01T00:00:00Z'),
  blocksAccess: false,
  account: DOOR,
});

/** A mail of every kind, some in several situations. */
export function sampleMails(locale: Locale, names: Names = NAMES): readonly { kind: MailKind; content: MailContent }[] {
  const facts = invoiceFacts(locale, names);
  const bank = {
    holder: names.seller,
    iban: 'DE89370400440532013000',
    account: null,
    bic: 'COBADEFFXXX',
    bank: 'Bank',
    note: null,
  };
  const alert = alertFacts(locale, names);
  const returns = [
    { amount: decimal('80'), to: 'sender' as const },
    { amount: decimal('10'), to: { card: 'Visa 4242' } },
  ];
  const transfer = issuedMail({ ...facts, paysOnline: false, bank });
  const declined = declinedMail(facts, { ...DECLINE, retryAt: NOW });
  const total = { type: 'invoice_total', metricName: null, unit: null, currency: 'EUR' } as const;
  const balance = { type: 'balance', metricName: null, featureName: 'Pages', percent: null, whole: null } as const;
  return [
    { kind: 'invoiceIssued', content: issuedMail(facts) },
    { kind: 'invoiceIssued', content: transfer },
    { kind: 'invoicePaid', content: paidMail(facts, PAYMENT, NOW) },
    { kind: 'paymentReceived', content: partPaidMail(facts, PAYMENT) },
    { kind: 'paymentReversed', content: reversedMail(facts, PAYMENT) },
    { kind: 'paymentFailed', content: declined },
    { kind: 'invoiceRefunded', content: refundedMail(facts, { ...CREDIT, returns, intoWallet: decimal('10') }) },
    {
      kind: 'refundVoided',
      content: refundVoidedMail(facts, { number: 'CN-000007', stopped: decimal('80'), left: decimal('10') }),
    },
    { kind: 'invoiceCredited', content: creditedMail(facts, { ...CREDIT, off: decimal('100') }) },
    { kind: 'invoiceCancelled', content: cancelledMail(facts, 'CN-000007', decimal('5')) },
    { kind: 'renewalReminder', content: renewalMail(renewalFacts(locale, names)) },
    { kind: 'trialEnding', content: trialMail(trialFacts(locale, names)) },
    { kind: 'trialEnding', content: trialMail({ ...trialFacts(locale, names), follows: 'pause', card: null }) },
    {
      kind: 'alertTriggered',
      content: merchantAlertMail({
        ...alert,
        ...total,
        percent: null,
        threshold: decimal('500'),
        whole: null,
        value: decimal('686.25'),
      }),
    },
    { kind: 'alertReached', content: customerAlertMail(alert) },
    { kind: 'alertReached', content: customerAlertMail({ ...alert, ...balance, threshold: decimal('20') }) },
    { kind: 'alertReached', content: customerAlertMail({ ...alert, ...total, blocksAccess: true }) },
    {
      kind: 'portalLink',
      content: portalContent({ locale, seller: writer(names.seller), buyerName: names.buyer }, `${DOOR}?token=0a`, NOW),
    },
  ];
}
