import { describe, expect, it } from 'vitest';
import type { InvoiceFact } from '../invoicing/index.ts';
import { ZERO } from '../kernel/decimal.ts';
import { decideMail, type MailSituation, outdatedBy } from './decide.ts';
import type { MailKind } from './kinds.ts';

const usual: MailSituation = {
  isNumbered: true,
  isBeingCharged: false,
  isOverNothing: false,
  mailsZeroInvoices: false,
  isNotified: false,
  lacksRefundMail: false,
};
type Note = Extract<InvoiceFact, { kind: 'refunded' }>['note'];
const note = { id: 'crn_1', number: 'CN-000001' } as Note;
const next = { kind: 'fails', retryAt: null, failedAttempts: 1 } as const;
const FACTS = {
  issued: { kind: 'issued' },
  paidByPayment: { kind: 'paid', by: 'payment', paymentId: 'pay_1' },
  paidByWallet: { kind: 'paid', by: 'wallet' },
  paidByCredit: { kind: 'paid', by: 'credit' },
  partPaid: { kind: 'partPaid', paymentId: 'pay_1' },
  reversed: { kind: 'reversed', paymentId: 'pay_1' },
  declined: { kind: 'declined', chargeId: 'inv_1:1', paymentMethodId: null, reason: null, next },
  refunded: { kind: 'refunded', note, intoWallet: ZERO },
  refundVoided: { kind: 'refundVoided', note, stopped: ZERO, left: ZERO },
  credited: { kind: 'credited', note, off: ZERO, intoWallet: ZERO },
  cancelled: { kind: 'cancelled', note, intoWallet: ZERO },
  cancelledOffer: { kind: 'cancelled', note: null, intoWallet: ZERO },
  writtenOff: { kind: 'writtenOff' },
} as const satisfies Readonly<Record<string, InvoiceFact>>;

interface Row {
  fact: keyof typeof FACTS;
  customer: string;
  is?: Partial<MailSituation>;
  mail: MailKind | null;
  invoice?: boolean;
  outdates?: readonly MailKind[];
}
const asking: readonly MailKind[] = ['invoiceIssued', 'paymentFailed'];
const asksOrThanks: readonly MailKind[] = [...asking, 'paymentReceived'];

describe('which mail follows', () => {
  it.each<Row>([
    { fact: 'issued', customer: 'pays by card or transfer', mail: 'invoiceIssued', invoice: true },
    { fact: 'issued', customer: 'has a card that is charged at once', is: { isBeingCharged: true }, mail: null },
    { fact: 'issued', customer: 'is on the payment page already', is: { isNumbered: false }, mail: null },
    { fact: 'paidByPayment', customer: 'was asked', is: { isNotified: true }, mail: 'invoicePaid', outdates: asking },
    { fact: 'paidByPayment', customer: 'was charged at once', mail: 'invoicePaid', invoice: true, outdates: asking },
    { fact: 'paidByWallet', customer: 'had enough in the wallet', mail: 'invoicePaid', invoice: true },
    { fact: 'paidByWallet', customer: 'owes nothing', is: { isOverNothing: true }, mail: null },
    {
      fact: 'paidByWallet',
      customer: 'owes nothing, of a merchant that mails that too',
      is: { isOverNothing: true, mailsZeroInvoices: true },
      mail: 'invoiceIssued',
      invoice: true,
    },
    { fact: 'paidByCredit', customer: 'got a credit note', is: { isNotified: true }, mail: null, outdates: asking },
    { fact: 'partPaid', customer: 'paid a part', is: { isNotified: true }, mail: 'paymentReceived' },
    {
      fact: 'reversed',
      customer: 'thought that it was paid',
      mail: 'paymentReversed',
      outdates: ['invoicePaid', 'paymentReceived'],
    },
    { fact: 'declined', customer: 'was charged at once', mail: 'paymentFailed', invoice: true },
    { fact: 'declined', customer: 'was charged again', is: { isNotified: true }, mail: 'paymentFailed' },
    { fact: 'partPaid', customer: 'paid a part of an offer', is: { isNumbered: false }, mail: null },
    { fact: 'declined', customer: 'wanted an offer', is: { isNumbered: false }, mail: null },
    { fact: 'refunded', customer: 'has paid', mail: 'invoiceRefunded' },
    { fact: 'refundVoided', customer: 'heard of the refund', mail: 'refundVoided', outdates: ['invoiceRefunded'] },
    {
      fact: 'refundVoided',
      customer: 'never heard of it',
      is: { lacksRefundMail: true },
      mail: null,
      outdates: ['invoiceRefunded'],
    },
    { fact: 'credited', customer: 'changed plans', mail: 'invoiceCredited' },
    {
      fact: 'cancelled',
      customer: 'was asked',
      is: { isNotified: true },
      mail: 'invoiceCancelled',
      outdates: asksOrThanks,
    },
    { fact: 'cancelled', customer: 'was never written to', mail: null, outdates: asksOrThanks },
    {
      fact: 'cancelledOffer',
      customer: 'did not take the offer',
      is: { isNotified: true },
      mail: null,
      outdates: asksOrThanks,
    },
    { fact: 'writtenOff', customer: 'did not pay', is: { isNotified: true }, mail: null, outdates: asksOrThanks },
  ])('$fact, the customer $customer: $mail', ({ fact, is, mail, invoice = false, outdates = [] }) => {
    const decided = decideMail(FACTS[fact], { ...usual, ...is });
    expect(decided && { kind: decided.kind, invoice: decided.bringsInvoice }).toEqual(mail && { kind: mail, invoice });
    expect([...outdatedBy(FACTS[fact])].toSorted()).toEqual([...outdates].toSorted());
  });

  it('one for each attempt, part and credit note, and else one for each invoice', () => {
    const occasion = (fact: keyof typeof FACTS) => decideMail(FACTS[fact], { ...usual, isNotified: true })?.occasion;
    expect(Object.fromEntries(Object.keys(FACTS).map((fact) => [fact, occasion(fact as keyof typeof FACTS)]))).toEqual({
      issued: '',
      paidByPayment: '',
      paidByWallet: '',
      paidByCredit: undefined,
      partPaid: 'pay_1',
      reversed: 'pay_1',
      declined: 'inv_1:1',
      refunded: 'crn_1',
      refundVoided: 'crn_1',
      credited: 'crn_1',
      cancelled: '',
      cancelledOffer: undefined,
      writtenOff: undefined,
    });
  });
});
