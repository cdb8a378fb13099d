import { expect, it } from 'vitest';
import { ownNameOf } from './own-name.ts';

it.each([
  { name: 'Nordlys Analyse AS: Scale', own: null },
  { name: 'scale – nordlys analyse as', own: null },
  { name: 'Scale', own: null },
  { name: 'Scale (Lab 2)', own: 'Scale (Lab 2)' },
  { name: 'Laboratory', own: 'Laboratory' },
])('the name “$name” of a subscription is shown as $own', ({ name, own }) => {
  expect(ownNameOf(name, ['Scale', '', 'Nordlys Analyse AS'])).toBe(own);
});
