import { describe, expect, it } from 'vitest';
import { decimal } from '../kernel/decimal.ts';
import {
  type AlertFacts,
  alertMail,
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
} from './compose.ts';
import { html, type MailContent, plainText } from './content.ts';

const facts: InvoiceFacts = {
  locale: 'en',
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
  fromWallet: decimal('0'),
  page: 'https://pay.example/pay/invoices/inv_0a',
  paysOnline: true,
  bank: null,
};
const payment: PaymentFacts = {
  amount: decimal('1200'),
  method: 'Visa ending in 4242',
  receivedAt: Temporal.Instant.from('2026-02-03T12:00:00Z'),
};
const credit: CreditFacts = {
  number: 'CN-000007',
  total: decimal('100'),
  returns: [],
  off: decimal('0'),
  intoWallet: decimal('0'),
};
const renewal: RenewalFacts = {
  locale: 'en',
  sellerName: 'Halcyon Labs',
  buyerName: 'Prodromos Ltd',
  planName: 'Pro',
  renewsAt: Temporal.Instant.from('2026-02-03T12:00:00Z'),
  estimate: { amount: decimal('290'), currency: 'EUR' },
  card: 'Visa ending in 4242',
  contact: 'accounts@halcyon.example',
};
const NOW = Temporal.Instant.from('2026-02-03T12:00:00Z');

it('asks for what is left to pay, says until when, and leads to where', () => {
  const content = issuedMail(facts);
  expect(content.subject).toBe('Invoice INV-000042 from Halcyon Labs');
  expect(plainText(content)).toBe(`Hello Prodromos Ltd,

Here is invoice INV-000042. Please pay €1,000.00 by 15 February 2026.

Invoice: INV-000042
Issued: 1 February 2026
Total: €1,234.50
Paid: €234.50
To pay: €1,000.00
Due: 15 February 2026

Pay this invoice: https://pay.example/pay/invoices/inv_0a

Halcyon Labs
`);
});

it.each([
  { what: 'a card can pay it', change: {}, label: 'Pay this invoice', due: true },
  { what: 'it cannot be paid by card', change: { paysOnline: false }, label: 'See this invoice', due: true },
  { what: 'nothing is left to pay', change: { unpaid: decimal('0') }, label: 'See this invoice', due: false },
])('leads to the page of the invoice, where $what', ({ change, label, due }) => {
  const content = issuedMail({ ...facts, ...change });
  expect(content.action).toEqual({ label, url: facts.page });
  expect(content.facts.some(([name]) => name === 'Due')).toBe(due);
});

describe('where it is paid by transfer', () => {
  const bank = {
    holder: 'Halcyon Laboratories Ltd',
    iban: 'GB33BUKB20201555555555',
    account: null,
    bic: 'BUKBGB22',
    bank: 'Example Bank',
    note: 'Please pay in euro',
  };

  it('says to which account, and what to quote', () =>
    expect(issuedMail({ ...facts, paysOnline: false, bank }).facts.slice(-6)).toEqual([
      ['Account holder', 'Halcyon Laboratories Ltd'],
      ['IBAN', 'GB33 BUKB 2020 1555 5555 55'],
      ['BIC', 'BUKBGB22'],
      ['Bank', 'Example Bank'],
      ['Reference', 'INV-000042'],
      ['Note', 'Please pay in euro'],
    ]));

  it.each([
    { what: 'a card pays it', change: { bank } },
    { what: 'nothing is left to pay', change: { bank, paysOnline: false, unpaid: decimal('0') } },
  ])('says nothing of it where $what', ({ change }) =>
    expect(issuedMail({ ...facts, ...change }).facts.map(([label]) => label)).not.toContain('IBAN'),
  );

  it('says whom to ask and what to quote where the merchant has given no account', () =>
    expect(issuedMail({ ...facts, paysOnline: false }).facts.slice(-2)).toEqual([
      ['Account', 'Please ask us for it'],
      ['Reference', 'INV-000042'],
    ]));
});

it.each([
  { currency: 'JPY', total: '1200', shown: '¥1,200' },
  { currency: 'USD', total: '0.1', shown: '$0.10' },
  { currency: 'KWD', total: '0.125', shown: 'KWD\u00a00.125' },
])('shows $total $currency as documents do', ({ currency, total, shown }) => {
  const { facts: rows } = issuedMail({ ...facts, currency, grandTotal: decimal(total), unpaid: decimal(total) });
  expect(rows).toContainEqual(['Total', shown]);
  expect(rows).toContainEqual(['To pay', shown]);
});

it('thanks for what came in, and tells it from what was credited and from the wallet', () => {
  const credited = {
    credited: decimal('34.5'),
    paid: decimal('1200'),
    fromWallet: decimal('200'),
    unpaid: decimal('0'),
  };
  const content = paidMail({ ...facts, ...credited }, payment, NOW);
  expect(content.subject).toBe('Receipt for invoice INV-000042 from Halcyon Labs');
  expect(content.facts).toEqual([
    ['Invoice', 'INV-000042'],
    ['Total', '€1,234.50'],
    ['Credited', '€34.50'],
    ['Paid from your balance', '€200.00'],
    ['Paid', '€1,000.00'],
    ['Paid on', '3 February 2026'],
    ['Paid by', 'Visa ending in 4242'],
  ]);
});

it('asks a customer whose wallet paid for nothing', () => {
  const all = { paid: decimal('1234.5'), fromWallet: decimal('1234.5'), unpaid: decimal('0') };
  const { paragraphs, facts: rows } = paidMail({ ...facts, ...all }, null, NOW);
  expect(paragraphs).toEqual(['Invoice INV-000042 is paid from your balance. You need to do nothing.']);
  expect(rows.map(([label]) => label)).toEqual(['Invoice', 'Total', 'Paid from your balance', 'Paid on']);
});

it('thanks for a part, and says what is left', () =>
  expect(partPaidMail(facts, { ...payment, amount: decimal('234.5') }).paragraphs).toEqual([
    'Thank you: we have received €234.50 for invoice INV-000042.',
    '€1,000.00 is left to pay. The invoice is due on 15 February 2026.',
  ]));

describe('a declined card', () => {
  const decline: DeclineFacts = { card: 'Visa ending in 4242', reason: 'card_declined', retryAt: null, end: null };
  const retryAt = Temporal.Instant.from('2026-02-05T00:00:00Z');

  it.each([
    { reason: 'card_declined', why: 'your Visa ending in 4242 was declined' },
    { reason: 'insufficient_funds', why: 'your Visa ending in 4242 had insufficient funds' },
    { reason: 'no_payment_method', why: 'no card is stored that could be charged' },
  ])('$reason: $why', ({ reason, why }) =>
    expect(declinedMail(facts, { ...decline, reason }).paragraphs[0]).toBe(
      `We could not charge €1,000.00 for invoice INV-000042: ${why}. Nothing was charged.`,
    ),
  );

  it.each([
    {
      what: 'is charged again',
      change: { retryAt },
      says: 'We will try again on 5 February 2026. You can also pay with any card before that.',
    },
    { what: 'is not charged again', change: {}, says: 'Please pay with any card.' },
    {
      what: 'was tried for the last time',
      change: { end: 'keep' as const },
      says: 'We will not try again by ourselves. Please pay with any card.',
    },
    {
      what: 'was tried for the last time, and the subscription ends',
      change: { end: 'terminate' as const },
      says: 'We will not try again by ourselves. Your subscription ends, and the invoice is still to be paid. Please pay with any card.',
    },
    {
      what: 'was tried for the last time, and the invoice is written off',
      change: { end: 'write_off' as const },
      says: 'We will not try again, and you are not asked to pay this invoice any more.',
    },
  ])('that $what: $says', ({ change, says }) => {
    const content = declinedMail(facts, { ...decline, ...change });
    expect(content.paragraphs[1]).toBe(says);
    expect(content.action?.label).toBe(
      'end' in change && change.end === 'write_off' ? 'See this invoice' : 'Pay this invoice',
    );
  });
});

describe('a refund or a credit', () => {
  it('goes back as it came', () => {
    const returns = [{ amount: decimal('80'), to: { card: 'Visa ending in 4242' } }];
    expect(refundedMail(facts, { ...credit, returns, intoWallet: decimal('20') }).paragraphs).toEqual([
      'We have refunded invoice INV-000042. Credit note CN-000007 is over €100.00.',
      '€80.00 goes back to your Visa ending in 4242.',
      '€20.00 is in your balance and pays your next invoices.',
    ]);
  });

  it.each([
    {
      off: '100',
      intoWallet: '0',
      unpaid: '0',
      says: ['€100.00 is deducted from the amount due.', 'Nothing is left to pay.'],
    },
    { off: '0', intoWallet: '100', unpaid: '0', says: ['€100.00 is in your balance and pays your next invoices.'] },
    {
      off: '40',
      intoWallet: '60',
      unpaid: '10',
      says: ['€40.00 is deducted from the amount due.', '€60.00 is in your balance and pays your next invoices.'],
    },
  ])('is taken off $off and put into the wallet $intoWallet', ({ off, intoWallet, unpaid, says }) => {
    const given = { ...credit, off: decimal(off), intoWallet: decimal(intoWallet) };
    expect(creditedMail({ ...facts, unpaid: decimal(unpaid) }, given).paragraphs.slice(1)).toEqual(says);
  });

  it('is not paid back after all', () =>
    expect(
      refundVoidedMail(facts, { number: 'CN-000007', stopped: decimal('80'), left: decimal('0') }).paragraphs,
    ).toEqual([
      'The refund of invoice INV-000042 was cancelled, and credit note CN-000007 is void.',
      '€80.00 is not sent back: it pays the invoice, as before.',
    ]));
});

it('says of a cancelled invoice that there is nothing to pay', () =>
  expect(cancelledMail(facts, 'CN-000007', decimal('5')).paragraphs).toEqual([
    'Invoice INV-000042 was cancelled. There is nothing to pay.',
    '€5.00 is in your balance again.',
  ]));

describe('a reminder of a renewal', () => {
  it('says when, for about how much, from which card, and how to cancel', () => {
    const content = renewalMail(renewal);
    expect(content.subject).toBe('Your subscription to Pro renews on 3 February 2026');
    expect(content.paragraphs).toEqual([
      'Your subscription to Pro from Halcyon Labs renews on 3 February 2026. You do not need to do anything.',
      'The invoice will be about €290.00. This is an estimate: usage until then can change it.',
      'It will be charged to your Visa ending in 4242.',
      'To change or cancel the subscription, write to accounts@halcyon.example before 3 February 2026.',
    ]);
  });

  it.each([{ estimate: null }, { estimate: { amount: decimal('0'), currency: 'EUR' } }])(
    'names no amount where there is none: $estimate',
    ({ estimate }) => {
      const { paragraphs, facts: rows } = renewalMail({ ...renewal, estimate, card: null, contact: null });
      expect(paragraphs.slice(1)).toEqual([
        'To change or cancel the subscription, contact Halcyon Labs before 3 February 2026.',
      ]);
      expect(rows).toEqual([['Renews on', '3 February 2026']]);
    },
  );
});

describe('a name that means harm', () => {
  const evil = 'A\r\nBcc: all@example.com\r\n\r\n<script>alert("1")</script>\u202e\u0000&';
  const mails: MailContent[] = [
    issuedMail({ ...facts, sellerName: evil, buyerName: evil, number: evil }),
    paidMail({ ...facts, sellerName: evil, buyerName: evil, number: evil }, payment, NOW),
    renewalMail({ ...renewal, sellerName: evil, buyerName: evil, planName: evil, contact: evil }),
    cancelledMail({ ...facts, sellerName: evil, buyerName: evil, number: evil }, evil, decimal('0')),
  ];

  it.each(mails)('begins no line and no header: $subject', (content) => {
    const texts = [
      content.subject,
      content.greeting,
      ...content.paragraphs,
      ...content.facts.flat(),
      content.signature,
    ];
    for (const text of texts) expect(text).not.toMatch(/[\r\n\0\u202e]/);
    expect(plainText(content)).not.toMatch(/^Bcc/m);
  });

  it.each(mails)('is text in HTML: $subject', (content) => {
    expect(html(content)).not.toContain('<script');
    expect(html(content)).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;');
  });

  it('is cut where it is long', () => {
    expect(issuedMail({ ...facts, buyerName: 'x'.repeat(100_000) }).greeting).toHaveLength(127); // 120 and "Hello ,"
  });
});

describe('about an alert', () => {
  const alert: AlertFacts = {
    locale: 'en',
    sellerName: 'Halcyon Labs',
    buyerName: 'Prodromos Ltd',
    alertName: 'Most of the pages',
    type: 'usage',
    metricName: 'Pages',
    threshold: null,
    percent: decimal('80'),
    whole: decimal('1000'),
    value: decimal('850'),
    periodStart: Temporal.Instant.from('2026-02-01T00:00:00Z'),
    periodEnd: Temporal.Instant.from('2026-03-01T00:00:00Z'),
    blocksAccess: false,
  };

  it('reports customer, figure, threshold and period to the merchant', () => {
    const content = alertMail(alert, 'merchant');
    expect(content.subject).toBe('Alert “Most of the pages” reached: Prodromos Ltd');
    expect(plainText(content)).toBe(`Hello Halcyon Labs,

The usage of Prodromos Ltd has reached 80 % of 1,000.

This email is sent once in each period.

Metric: Pages
Usage so far: 850
Threshold: 80 % of 1,000
Since: 1 February 2026
Until: 1 March 2026

Reckoner
`);
  });

  it('reports the customer’s own figure to the customer, in the name of the merchant', () => {
    const content = alertMail({ ...alert, alertName: null }, 'customer');
    expect(content).toMatchObject({
      greeting: 'Hello Prodromos Ltd,',
      subject: 'Alert reached',
      signature: 'Halcyon Labs',
    });
    expect(content.paragraphs[0]).toBe('Your usage has reached 80 % of 1,000.');
  });

  it.each<{ change: Partial<AlertFacts>; sentence: string; label: string }>([
    {
      change: { type: 'balance', metricName: null, threshold: decimal('20'), percent: null, whole: null },
      sentence: 'Your balance has fallen to 20 or less.',
      label: 'Balance',
    },
    {
      change: { type: 'balance', metricName: null, percent: decimal('50'), whole: null },
      sentence: '50 % of your balance is used.',
      label: 'Balance',
    },
    {
      change: { type: 'invoice_total', metricName: null, threshold: decimal('99.5'), percent: null, whole: null },
      sentence: 'Your invoice total with tax has reached 99.5.',
      label: 'Invoice total so far, with tax',
    },
  ])('says: $sentence', ({ change, sentence, label }) => {
    const content = alertMail({ ...alert, ...change }, 'customer');
    expect(content.paragraphs[0]).toBe(sentence);
    expect(content.facts[0]).toEqual([label, '850']);
  });

  it('says of a budget that access ends', () =>
    expect(alertMail({ ...alert, blocksAccess: true }, 'customer').paragraphs[1]).toBe(
      'This is a budget: access ends now, until the period ends or the budget is raised.',
    ));

  it('omits an unknown end', () =>
    expect(alertMail({ ...alert, periodEnd: null }, 'merchant').facts.map(([label]) => label)).not.toContain('Until'));

  it('takes a name of several lines as one line', () =>
    expect(alertMail({ ...alert, alertName: 'a\r\nBcc: x@y.example' }, 'merchant').subject).toBe(
      'Alert “a Bcc: x@y.example” reached: Prodromos Ltd',
    ));
});
