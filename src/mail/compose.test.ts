import { describe, expect, it } from 'vitest';
import { decimal } from '../kernel/decimal.ts';
import {
  cancelledMail,
  creditedMail,
  declinedMail,
  issuedMail,
  paidMail,
  partPaidMail,
  refundedMail,
  refundVoidedMail,
  renewalMail,
  trialMail,
} from './compose.ts';
import { type AlertFacts, customerAlertMail, merchantAlertMail } from './compose-alert.ts';
import { plainText } from './content.ts';
import { html } from './html.ts';
import {
  alertFacts,
  CREDIT as credit,
  DOOR,
  DECLINE as decline,
  invoiceFacts,
  NOW,
  PAYMENT as payment,
  renewalFacts,
  sampleMails,
  trialFacts,
} from './testing/samples.ts';

const facts = invoiceFacts();
const renewal = renewalFacts();

it('asks for what is left to pay, says until when, and leads to where', () => {
  const content = issuedMail(facts);
  expect(content.subject).toBe('Invoice INV-000042 from Halcyon Labs');
  expect(plainText(content)).toBe(`Hello Prodromos Ltd,

Here is invoice INV-000042. Please pay €1,000.00 by 1 March 2026.

Invoice: INV-000042
Issued: 1 February 2026
Total: €1,234.50
Paid: €234.50
Amount due: €1,000.00
Due: 1 March 2026

Pay this invoice: https://pay.example/pay/invoices/inv_0a
All your invoices: https://pay.example/portal/org_0a

Halcyon Labs
Halcyon Labs GmbH
Torstraße 140
10119 Berlin
Germany
accounts@halcyon.example
+49 30 901820

You get this email because Halcyon Labs sends the invoices of Prodromos Ltd to this address.
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
  expect(rows).toContainEqual(['Amount due', shown]);
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
    ['Payment method', 'Visa •••• 4242'],
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
    '€1,000.00 is left to pay. The invoice is due on 1 March 2026.',
  ]));

describe('a declined card', () => {
  const retryAt = Temporal.Instant.from('2026-02-05T00:00:00Z');

  it.each([
    { reason: 'card_declined', why: 'your Visa 4242 was declined' },
    { reason: 'insufficient_funds', why: 'your Visa 4242 had insufficient funds' },
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

it.each([
  { account: DOOR, again: NOW, label: 'Change the payment method', hint: true },
  { account: DOOR, again: null, label: 'Change the payment method', hint: false },
  { account: null, again: NOW, label: undefined, hint: false },
])('leads a declined card to another one: $account, $again', ({ account, again, label, hint }) => {
  const { paragraphs, links = [] } = declinedMail({ ...facts, account }, { ...decline, retryAt: again });
  expect(links[0]?.label).toBe(label);
  expect(paragraphs.some((text) => text.startsWith('To have another card charged'))).toBe(hint);
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

it.each([
  { follows: 'invoice', says: 'Your subscription goes on after it, and we will send you invoices.' },
  { follows: 'terminate', says: 'No payment method is stored: without one, your subscription ends then.' },
  { follows: 'pause', says: 'No payment method is stored: without one, your subscription is paused then.' },
] as const)('says of a trial when it ends, and that $follows follows', ({ follows, says }) => {
  const content = trialMail({ ...trialFacts(), follows });
  expect(content.subject).toBe('Your free trial of Pro ends on 1 March 2026');
  expect(content.paragraphs).toEqual([
    'Your free trial of Pro from Halcyon Labs ends on 1 March 2026.',
    says,
    'You can change or cancel the subscription in your account before 1 March 2026.',
  ]);
});

describe('a reminder of a renewal', () => {
  it('says when, for about how much, and from which card', () => {
    const content = renewalMail(renewal);
    expect(content.subject).toBe('Your subscription to Pro renews on 1 March 2026');
    expect(content.paragraphs.slice(0, 3)).toEqual([
      'Your subscription to Pro from Halcyon Labs renews on 1 March 2026. You do not need to do anything.',
      'The invoice will be about €290.00. This is an estimate: usage until then can change it.',
      'It will be charged to your Visa 4242.',
    ]);
  });

  const inAccount = (what: string) => `You can ${what} the subscription in your account before 1 March 2026.`;
  const byMail = (what: string) =>
    `To ${what} the subscription, write to accounts@halcyon.example before 1 March 2026.`;
  const manage = [{ label: 'Manage the subscription', url: DOOR }];

  it.each([
    { canChange: true, canCancel: true, says: [inAccount('change or cancel')], links: manage },
    { canChange: false, canCancel: true, says: [inAccount('cancel'), byMail('change')], links: manage },
    { canChange: true, canCancel: false, says: [inAccount('change'), byMail('cancel')], links: manage },
    {
      ...{ canChange: false, canCancel: false, says: [byMail('change or cancel')] },
      links: [{ label: 'Open your account', url: DOOR }],
    },
  ])('leads to the portal for what it allows: change $canChange, cancel $canCancel', ({ says, links, ...can }) => {
    const { paragraphs, action, links: others = [] } = renewalMail({ ...renewal, account: { url: DOOR, ...can } });
    expect(paragraphs.slice(3)).toEqual(says);
    expect([...(action ? [action] : []), ...others]).toEqual(links);
  });

  it.each([{ estimate: null }, { estimate: { amount: decimal('0'), currency: 'EUR' } }])(
    'names no amount where there is none, and no portal where mails do not lead there: $estimate',
    ({ estimate }) => {
      const seller = { ...renewal.seller, email: null };
      const content = renewalMail({ ...renewal, seller, estimate, card: null, account: null });
      expect(content.paragraphs.slice(1)).toEqual([
        'To change or cancel the subscription, contact Halcyon Labs before 1 March 2026.',
      ]);
      expect(content).toMatchObject({ facts: [['Renews on', '1 March 2026']], figure: null, action: null, links: [] });
    },
  );
});

describe('a name that means harm', () => {
  const evil = 'A\r\nBcc: all@example.com\r\n\r\n<script>alert("1")</script>\u202e\u0000&';
  const mails = sampleMails('en', { seller: evil, buyer: evil, number: evil, plan: evil });

  it.each(mails)('begins no line and no header: $kind', ({ content }) => {
    const { letterhead, because = '', figure } = content;
    const texts = [
      ...[content.subject, content.greeting, ...content.paragraphs, ...content.facts.flat(), content.signature],
      ...[because, figure ?? '', letterhead?.name ?? '', ...(letterhead?.address ?? [])],
    ];
    for (const text of texts) expect(text).not.toMatch(/[\r\n\0\u202e]/);
    expect(plainText(content)).not.toMatch(/^Bcc/m);
  });

  it.each(mails)('is text in HTML: $kind', ({ content }) => {
    expect(html(content)).not.toContain('<script');
    expect(html(content)).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;');
  });

  it.each([
    { email: 'a"onclick="x@halcyon.example', phone: '"><b>1' },
    { email: "javascript:alert('1')@x.example", phone: 'javascript:alert(1)' },
  ])('leads nowhere as contact: $email', (contact) => {
    const shown = html(issuedMail({ ...facts, seller: { ...facts.seller, ...contact } }));
    expect(shown).not.toMatch(/onclick="|<b>|href="javascript/);
  });

  it('is cut where it is long', () => {
    expect(issuedMail({ ...facts, buyerName: 'x'.repeat(100_000) }).greeting).toHaveLength(127); // 120 and "Hello ,"
  });
});

describe('about an alert', () => {
  const alert = alertFacts();

  it('reports customer, alert, figure, threshold and period to the merchant, in the name of Reckoner', () => {
    const content = merchantAlertMail({ ...alert, locale: 'de' });
    expect(content.subject).toBe('Alert “Most of Pro” reached: Prodromos Ltd');
    expect(plainText(content)).toBe(`Hello Halcyon Labs,

The usage of Prodromos Ltd has reached 80% of 1,000 pages.

This email is sent once in each period.

Customer: Prodromos Ltd (cus_0a)
Alert: Most of Pro (alr_0a)
Metric: Pages
Usage so far: 850 pages
Threshold: 80% of 1,000 pages
Since: 1 February 2026
Until: 1 March 2026

Reckoner

You get this email because Halcyon Labs has set this alert.
`);
  });

  it('reports the customer’s own figure to the customer, in the name of the merchant', () => {
    const content = customerAlertMail({ ...alert, alertName: null });
    expect(content).toMatchObject({
      greeting: 'Hello Prodromos Ltd,',
      subject: 'Alert reached',
      signature: 'Halcyon Labs',
      action: { label: 'Open your account', url: DOOR },
    });
    expect(content.paragraphs[0]).toBe('Your usage has reached 80% of 1,000 pages.');
    expect(customerAlertMail({ ...alert, account: null }).action).toBeNull();
  });

  const balance = { type: 'balance', metricName: null, featureName: 'Pages' } as const;
  const total = { type: 'invoice_total', metricName: null, unit: null, currency: 'EUR' } as const;

  it.each<{ change: Partial<AlertFacts>; sentence: string; fact: [string, string] }>([
    {
      change: { ...balance, threshold: decimal('20'), percent: null, whole: null },
      sentence: 'Your remaining allowance has fallen to 20 pages or less.',
      fact: ['Remaining allowance', '850 pages'],
    },
    {
      change: { ...balance, unit: null, percent: decimal('50'), whole: null },
      sentence: '50% of your allowance is used.',
      fact: ['Remaining allowance', '850'],
    },
    {
      change: { ...total, threshold: decimal('99.5'), percent: null, whole: null },
      sentence: 'Your invoice total with tax has reached €99.50.',
      fact: ['Invoice total so far, with tax', '€850.00'],
    },
    {
      change: { ...total, currency: 'JPY' },
      sentence: 'Your invoice total with tax has reached 80% of ¥1,000.',
      fact: ['Invoice total so far, with tax', '¥850'],
    },
  ])('says: $sentence', ({ change, sentence, fact }) => {
    const content = customerAlertMail({ ...alert, ...change });
    expect(content.paragraphs[0]).toBe(sentence);
    expect(content.facts).toContainEqual(fact);
    expect(content.figure).toBe(fact[1]);
  });

  it('says of a budget that access ends', () =>
    expect(customerAlertMail({ ...alert, blocksAccess: true }).paragraphs[1]).toBe(
      'This is a budget: access ends now, until the period ends or the budget is raised.',
    ));

  it('omits an unknown end', () =>
    expect(merchantAlertMail({ ...alert, periodEnd: null }).facts.map(([label]) => label)).not.toContain('Until'));
});

describe('the words of an accountant', () => {
  const said = (locale: 'de' | 'fr' | 'es') =>
    sampleMails(locale)
      .map(({ content }) => `${content.subject}\n${plainText(content)}`)
      .join('\n');

  it.each([
    {
      ...{
        locale: 'fr' as const,
        avoids: /(?:payer|Échéance)[^.]*avant le|Prochain essai|par la même voie|utilisation|Alerte « /,
      },
      says: [
        'Facture\u00a0: INV-000042',
        'au plus tard le 1er mars 2026',
        'N° d’avoir\u00a0: CN-000007',
        'Échéance\u00a0: 1er mars 2026',
      ],
    },
    {
      ...{
        locale: 'es' as const,
        avoids: /hasta el 1 de marzo|[Nn]ota de crédito|presupuesto|[Pp]eríodo|misma vía|Medio de pago/,
      },
      says: ['a más tardar el 1 de marzo de 2026', 'N.º de rectificativa: CN-000007', 'Es un límite de gasto'],
    },
    {
      ...{ locale: 'de' as const, avoids: /haben die Rechnung|Erstattung der Rechnung|Gutschrift: CN/ },
      says: [
        'Erstattung zu Rechnung INV-000042',
        'den Betrag der Rechnung INV-000042 erstattet',
        'Korrekturnr.: CN-000007',
      ],
    },
  ])('in $locale', ({ locale, says, avoids }) => {
    for (const part of says) expect(said(locale)).toContain(part);
    expect(said(locale)).not.toMatch(avoids);
  });
});
