import { describe, expect, it } from 'vitest';
import { decimal } from '../../kernel/decimal.ts';
import { invoiceStatuses } from '../invoice/states.ts';
import { isPayableByCard, type Standing, type StandingFacts, standingOf, standingWords } from './standing.ts';

const at = (text: string) => Temporal.Instant.from(text);
const usual: StandingFacts['invoice'] = {
  status: 'ISSUED',
  issuedAt: at('2026-03-01T00:00:00Z'),
  dueAt: at('2026-03-15T00:00:00Z'),
  paidAt: null,
  invoiceNumber: 'INV-000012',
  currency: 'EUR',
  grandTotal: decimal('100'),
  unpaidAmount: decimal('100'),
  paidAmount: decimal('0'),
  creditedAmount: decimal('0'),
  paymentInFlight: false,
  livesBySession: false,
  paysOnline: true,
};
const paid = { status: 'PAID', paidAt: at('2026-03-03T00:00:00Z'), paidAmount: decimal('100') } as const;
const refund = { number: 'CN-000001', createdAt: at('2026-03-20T00:00:00Z') };

interface Case {
  what: string;
  invoice?: Partial<StandingFacts['invoice']>;
  more?: Partial<StandingFacts>;
  standing: Standing | null;
  payable?: boolean;
}
const facts = ({ invoice, more }: Pick<Case, 'invoice' | 'more'>): StandingFacts => ({
  refund: null,
  hasSession: false,
  takesCards: true,
  now: at('2026-03-10T00:00:00Z'),
  ...more,
  invoice: { ...usual, ...invoice },
});

describe('how an invoice stands for its customer', () => {
  it.each<Case>([
    { what: 'issued', standing: 'asked', payable: true },
    { what: 'partly paid', invoice: { paidAmount: decimal('40') }, standing: 'asked', payable: true },
    {
      what: 'on the day on which it is due',
      more: { now: at('2026-03-15T23:59:59Z') },
      standing: 'asked',
      payable: true,
    },
    { what: 'the day after', more: { now: at('2026-03-16T00:00:00Z') }, standing: 'overdue', payable: true },
    { what: 'a card was declined', invoice: { status: 'PAYMENT_FAILED' }, standing: 'asked', payable: true },
    { what: 'a charge is on its way', invoice: { paymentInFlight: true }, standing: 'onItsWay' },
    {
      what: 'a retry is on its way',
      invoice: { status: 'PAYMENT_FAILED', paymentInFlight: true },
      standing: 'onItsWay',
    },
    { what: 'paid by transfer', invoice: { paysOnline: false }, standing: 'asked' },
    {
      what: 'paid by transfer, with a session that somebody opened',
      invoice: { paysOnline: false },
      more: { hasSession: true },
      standing: 'asked',
      payable: true,
    },
    { what: 'no cards are taken any more', more: { takesCards: false, hasSession: true }, standing: 'asked' },
    {
      what: 'an offer',
      invoice: { livesBySession: true, invoiceNumber: null },
      more: { hasSession: true, now: at('2027-01-01T00:00:00Z') },
      standing: 'asked',
      payable: true,
    },
    {
      what: 'an offer whose session has run out a moment ago',
      invoice: { livesBySession: true, invoiceNumber: null },
      standing: 'expired',
    },
    {
      what: 'an offer that nobody took',
      invoice: { status: 'CANCELLED', livesBySession: true, invoiceNumber: null },
      standing: 'expired',
    },
    { what: 'cancelled', invoice: { status: 'CANCELLED' }, standing: 'cancelled' },
    { what: 'a draft that was cancelled', invoice: { status: 'CANCELLED', issuedAt: null }, standing: null },
    { what: 'written off', invoice: { status: 'WRITTEN_OFF' }, standing: 'closed' },
    { what: 'paid', invoice: paid, standing: 'paid' },
    { what: 'paid, part of it credited', invoice: { ...paid, creditedAmount: decimal('40') }, standing: 'paid' },
    { what: 'credited in whole', invoice: { ...paid, creditedAmount: decimal('100') }, standing: 'nothing' },
    {
      what: 'over 0',
      invoice: { ...paid, grandTotal: decimal('0'), paidAmount: decimal('0') },
      standing: 'nothing',
    },
    { what: 'refunded', invoice: paid, more: { refund }, standing: 'refunded' },
    ...(['ACTIVE', 'CLOSING', 'CLOSED', 'CALCULATING', 'DRAFT', 'FAILED'] as const).map((status) => ({
      what: status,
      invoice: { status, issuedAt: null },
      standing: null,
    })),
  ])('$what: $standing', ({ standing, payable = false, ...given }) => {
    const found = facts(given);
    expect(standingOf(found)).toBe(standing);
    expect(isPayableByCard(found)).toBe(payable);
    if (standing === null) return;
    const { heading, text } = standingWords(standing, found, 'en');
    for (const words of [heading, text]) expect(words).toMatch(/^[A-Z€].+\w\.?$/);
    expect(text).not.toContain('undefined');
  });

  it('is told of every status that an issued invoice can have', () => {
    const shown = invoiceStatuses.filter((status) => standingOf(facts({ invoice: { status } })) !== null);
    expect(shown).toEqual(['ISSUED', 'PAYMENT_FAILED', 'PAID', 'WRITTEN_OFF', 'CANCELLED']);
  });

  it.each([
    { currency: 'JPY', left: '1200', shown: '¥1,200' },
    { currency: 'KWD', left: '0.125', shown: 'KWD\u00a00.125' },
  ])('says what is left in $currency', ({ currency, left, shown }) => {
    const found = facts({ invoice: { currency, unpaidAmount: decimal(left) } });
    expect(standingWords('asked', found, 'en').text).toBe(`${shown} is left to pay, by 15\u00a0March\u00a02026.`);
  });
});
