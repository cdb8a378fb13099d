import { expect, it } from 'vitest';
import { LOCALES } from '../kernel/locale.ts';
import { lineNameIn } from './line-names.ts';

it.each([
  { name: 'Tokens', shown: 'Tokens' },
  { name: 'Tokens: minimum', shown: 'Tokens: Mindestbetrag' },
  { name: 'Contract: true-up', shown: 'Contract: Differenz zur vereinbarten Summe' },
  { name: 'Tokens: late usage: carried over', shown: 'Tokens: nachgemeldete Nutzung: Übertrag' },
  { name: 'Tokens: correction of usage', shown: 'Tokens: Korrektur der Nutzung' },
  { name: 'Tokens: not used (CN-000001)', shown: 'Tokens: nicht genutzte Zeit (CN-000001)' },
  { name: 'INV-000001: reversed payment', shown: 'INV-000001: zurückgebuchte Zahlung' },
  { name: 'INV-000001: billing credit used elsewhere', shown: 'INV-000001: anderweitig verbrauchtes Guthaben' },
  { name: 'Tokens: billing credit given back', shown: 'Tokens: Rückgabe an das Guthaben' },
  { name: 'Voucher: coupon given back', shown: 'Voucher: zurückgenommener Rabatt' },
  { name: 'Minimum commitment', shown: 'Mindestumsatz' },
  { name: 'Wallet top-up', shown: 'Guthabenaufladung' },
  { name: 'Billing credit (20.00 USD)', shown: 'Guthaben für Rechnungen (20.00 USD)' },
  { name: 'Calls: Billing credit', shown: 'Calls: Guthaben für Rechnungen' },
  { name: 'Minimum commitment (old)', shown: 'Minimum commitment (old)' },
  { name: 'Plan: premium', shown: 'Plan: premium' },
])('$name is $shown', ({ name, shown }) => {
  expect(lineNameIn('de', name)).toBe(shown);
  expect(lineNameIn('en', name)).toBe(name);
});

it.each(LOCALES)('a name that the merchant gave stands as it is in %s', (locale) =>
  expect(lineNameIn(locale, 'Seats (10): Europe')).toBe('Seats (10): Europe'),
);
