import { expect, it } from 'vitest';
import { unitOf } from './units.ts';

it.each([
  { unit: 'token', quantity: '2247682', shown: 'tokens' },
  { unit: 'token', quantity: '1', shown: 'token' },
  { unit: 'token', quantity: '0', shown: 'tokens' },
  { unit: 'token', quantity: '0.5', shown: 'tokens' },
  { unit: 'tokens', quantity: '2', shown: 'tokens' },
  { unit: 'API call', quantity: '2', shown: 'API calls' },
  { unit: 'GB-hour', quantity: '2', shown: 'GB-hours' },
  { unit: 'query', quantity: '2', shown: 'queries' },
  { unit: 'day', quantity: '2', shown: 'days' },
  { unit: 'inbox', quantity: '2', shown: 'inboxes' },
  { unit: 'match', quantity: '2', shown: 'matches' },
  { unit: 'GB', quantity: '2', shown: 'GB' },
  { unit: 'kWh', quantity: '2', shown: 'kWh' },
  { unit: 'ms', quantity: '2', shown: 'ms' },
  { unit: 'USD', quantity: '2', shown: 'USD' },
  { unit: 'Stunde', quantity: '2', shown: 'Stunde' },
  { unit: 'ساعة', quantity: '2', shown: 'ساعة' },
  { unit: '', quantity: '2', shown: '' },
])('$quantity $unit are $shown', ({ unit, quantity, shown }) => expect(unitOf(unit, quantity, 'en')).toBe(shown));

it.each([
  { locale: 'de', unit: 'token', quantity: '2600.5', shown: 'Tokens' },
  { locale: 'de', unit: 'requests', quantity: '1', shown: 'Anfrage' },
  { locale: 'fr', unit: 'image', quantity: '1.5', shown: 'image' },
  { locale: 'fr', unit: 'image', quantity: '2', shown: 'images' },
  { locale: 'es', unit: 'seat', quantity: '-3', shown: 'puestos' },
  { locale: 'de', unit: 'GB-hour', quantity: '2', shown: 'GB-hour' },
  { locale: 'de', unit: 'Anfrage', quantity: '2', shown: 'Anfrage' },
  { locale: 'fr', unit: 'constructor', quantity: '2', shown: 'constructor' },
] as const)('$quantity $unit are $shown in $locale', ({ locale, unit, quantity, shown }) =>
  expect(unitOf(unit, quantity, locale)).toBe(shown),
);
