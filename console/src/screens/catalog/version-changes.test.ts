import { expect, it } from 'vitest';
import { changesOf, searchOf, without, withPrice } from './version-changes.ts';

it('stands in the address bar as it was chosen', () => {
  const search = { add: 'price_a,price_b', remove: 'price_c', replace: 'price_d~price_e' };
  expect(searchOf(changesOf(search))).toEqual(search);
  expect(changesOf({})).toEqual({ add: [], remove: [], replace: [] });
});

it('has one price for one, the last that was chosen', () => {
  const removed = changesOf({ remove: 'price_a' });
  const replaced = withPrice(removed, 'price_b', 'price_a');
  expect(searchOf(replaced)).toEqual({ add: undefined, remove: undefined, replace: 'price_a~price_b' });
  expect(searchOf(withPrice(replaced, 'price_c', 'price_a')).replace).toBe('price_a~price_c');
  expect(withPrice(withPrice(removed, 'price_d'), 'price_d').add).toEqual(['price_d']);
});

it('comes back to the prices before', () => {
  const changes = changesOf({ add: 'price_a', remove: 'price_b', replace: 'price_c~price_d' });
  const none = ['price_a', 'price_b', 'price_c'].reduce(without, changes);
  expect(none).toEqual({ add: [], remove: [], replace: [] });
});
