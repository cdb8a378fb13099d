import { describe, expect, it } from 'vitest';
import { decimal } from '../../kernel/decimal.ts';
import { invoiceStatuses } from '../invoice/states.ts';
import { isPayableByCard, type Standing, type StandingFacts, standingOf, standingWords } from './standing.ts';

const at = (text: string) => Temporal.Instant.from(text);
const usual: StandingFacts['invoice'] = {
  status: 'ISSUED',
  issued_at: at('2026-03-01T00:00:00Z'),
  due_at: at('2026-03-15T00:00:00Z'),
  paid_at: null,
  invoice_number: 'INV-000012',
  currency: 'EUR',
  grand_total: decimal('100'),
  unpaid_amount: decimal('100'),
  paid_amount: decimal('0'),
  credited_amount: decimal('0'),
  payment_in_flight: false,
  lives_by_session: false,
  pays_online: true,
};
const paid = { status: 'PAID', paid_at: at('2026-03-03T00:00:00Z'), paid_amount: decimal('100') } as const;
const refund = { number: 'CN-000001', created_at: at('2026-03-20T00:00:00Z') };

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
    { what: 'partly paid', invoice: { paid_amount: decimal('40') }, standing: 'asked', payable: true },
    {
      what: 'on the day on which it is due',
      more: { now: at('2026-03-15T23:59:59Z') },
      standing: 'asked',
      payable: true,
    },
    { what: 'the day after', more: { now: at('2026-03-16T00:00:00Z') }, standing: 'overdue', payable: true },
    { what: 'a card was declined', invoice: { status: 'PAYMENT_FAILED' }, standing: 'asked', payable: true },
    { what: 'a charge is on its way', invoice: { payment_in_flight: true }, standing: 'onItsWay' },
    {
      what: 'a retry is on its way',
      invoice: { status: 'PAYMENT_FAILED', payment_in_flight: true },
      standing: 'onItsWay',
    },
    { what: 'paid by transfer', invoice: { pays_online: false }, standing: 'asked' },
    {
      what: 'paid by transfer, with a session that somebody opened',
      invoice: { pays_online: false },
      more: { hasSession: true },
      standing: 'asked',
      payable: true,
    },
    { what: 'no cards are taken any more', more: { takesCards: false, hasSession: true }, standing: 'asked' },
    {
      what: 'an offer',
      invoice: { lives_by_session: true, invoice_number: null },
      more: { hasSession: true, now: at('2027-01-01T00:00:00Z') },
      standing: 'asked',
      payable: true,
    },
    {
      what: 'an offer whose session has run out a moment ago',
      invoice: { lives_by_session: true, invoice_number: null },
      standing: 'expired',
    },
    {
      what: 'an offer that nobody took',
      invoice: { status: 'CANCELLED', lives_by_session: true, invoice_number: null },
      standing: 'expired',
    },
    { what: 'cancelled', invoice: { status: 'CANCELLED' }, standing: 'cancelled' },
    { what: 'a draft that was cancelled', invoice: { status: 'CANCELLED', issued_at: null }, standing: null },
    { what: 'written off', invoice: { status: 'WRITTEN_OFF' }, standing: 'closed' },
    { what: 'paid', invoice: paid, standing: 'paid' },
    { what: 'paid, part of it credited', invoice: { ...paid, credited_amount: decimal('40') }, standing: 'paid' },
    { what: 'credited in whole', invoice: { ...paid, credited_amount: decimal('100') }, standing: 'nothing' },
    {
      what: 'over 0',
      invoice: { ...paid, grand_total: decimal('0'), paid_amount: decimal('0') },
      standing: 'nothing',
    },
    { what: 'refunded', invoice: paid, more: { refund }, standing: 'refunded' },
    ...(['ACTIVE', 'CLOSING', 'CLOSED', 'CALCULATING', 'DRAFT', 'FAILED'] as const).map((status) => ({
      what: status,
      invoice: { status, issued_at: null },
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
    const found = facts({ invoice: { currency, unpaid_amount: decimal(left) } });
    expect(standingWords('asked', found, 'en').text).toBe(`${shown} is left to pay, by 15 March 2026.`);
  });
});
