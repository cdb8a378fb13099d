import { describe, expect, it } from 'vitest';
import { decimal } from '../kernel/decimal.ts';
import { type InvoiceFacts, issuedLetter, paidLetter, renewalLetter } from './compose.ts';
import { html, type Letter, plainText } from './letter.ts';

const facts: InvoiceFacts = {
  sellerName: 'Halcyon Labs',
  buyerName: 'Prodromos Ltd',
  number: 'INV-000042',
  currency: 'EUR',
  grandTotal: decimal('1234.5'),
  unpaid: decimal('1000'),
  credited: decimal('0'),
  paid: decimal('234.5'),
  issuedAt: Temporal.Instant.from('2026-02-01T00:00:00Z'),
  dueAt: Temporal.Instant.from('2026-02-15T00:00:00Z'),
  payUrl: 'https://pay.example/pay/invoices/inv_0a',
};
const NOW = Temporal.Instant.from('2026-02-03T12:00:00Z');

it('asks for what is left to pay, says until when, and leads to where', () => {
  const letter = issuedLetter(facts);
  expect(letter.subject).toBe('Invoice INV-000042 from Halcyon Labs');
  expect(plainText(letter)).toBe(`Hello Prodromos Ltd,

Here is invoice INV-000042. Please pay €1,000.00 by 15 February 2026.

Invoice: INV-000042
Issued: 1 February 2026
Total: €1,234.50
To pay: €1,000.00
Due: 15 February 2026

Pay this invoice: https://pay.example/pay/invoices/inv_0a

Halcyon Labs
`);
});

it.each([
  { what: 'it cannot be paid by card', change: { payUrl: null }, due: true },
  { what: 'nothing is left to pay', change: { unpaid: decimal('0') }, due: false },
])('leads nowhere where $what', ({ change, due }) => {
  const letter = issuedLetter({ ...facts, ...change });
  expect(letter.action).toBeNull();
  expect(letter.facts.some(([label]) => label === 'Due')).toBe(due);
});

it.each([
  { currency: 'JPY', total: '1200', shown: '¥1,200' },
  { currency: 'USD', total: '0.1', shown: '$0.10' },
  { currency: 'KWD', total: '0.125', shown: 'KWD\u00a00.125' },
])('shows $total $currency as documents do', ({ currency, total, shown }) => {
  const { facts: rows } = issuedLetter({ ...facts, currency, grandTotal: decimal(total), unpaid: decimal(total) });
  expect(rows).toContainEqual(['Total', shown]);
  expect(rows).toContainEqual(['To pay', shown]);
});

it('thanks for what came in, and tells it from what was credited', () => {
  const letter = paidLetter({ ...facts, credited: decimal('34.5'), paid: decimal('1200') }, NOW);
  expect(letter.subject).toBe('Receipt for invoice INV-000042 from Halcyon Labs');
  expect(letter.facts).toEqual([
    ['Invoice', 'INV-000042'],
    ['Total', '€1,234.50'],
    ['Credited', '€34.50'],
    ['Paid', '€1,200.00'],
    ['Paid on', '3 February 2026'],
  ]);
});

it('reminds of a renewal with its day', () => {
  const { subject } = renewalLetter({ sellerName: 'H', buyerName: 'P', planName: 'Pro', renewsAt: NOW });
  expect(subject).toBe('Your subscription to Pro renews on 3 February 2026');
});

describe('a name that means harm', () => {
  const evil = 'A\r\nBcc: all@example.com\r\n\r\n<script>alert("1")</script>\u202e\u0000&';
  const letters: Letter[] = [
    issuedLetter({ ...facts, sellerName: evil, buyerName: evil, number: evil }),
    paidLetter({ ...facts, sellerName: evil, buyerName: evil, number: evil }, NOW),
    renewalLetter({ sellerName: evil, buyerName: evil, planName: evil, renewsAt: NOW }),
  ];

  it.each(letters)('begins no line and no header: $subject', (letter) => {
    const texts = [letter.subject, letter.greeting, ...letter.paragraphs, ...letter.facts.flat(), letter.signature];
    for (const text of texts) expect(text).not.toMatch(/[\r\n\0\u202e]/);
    expect(plainText(letter)).not.toMatch(/^Bcc/m);
  });

  it.each(letters)('is text in HTML: $subject', (letter) => {
    expect(html(letter)).not.toContain('<script');
    expect(html(letter)).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;');
  });

  it('is cut where it is long', () => {
    expect(issuedLetter({ ...facts, buyerName: 'x'.repeat(100_000) }).greeting).toHaveLength(127); // 120 and "Hello ,"
  });
});
