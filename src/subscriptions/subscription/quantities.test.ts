import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal, ONE } from '../../kernel/decimal.ts';
import {
  type CountedPrice,
  decideQuantities,
  type Held,
  quantityErrors,
  sameQuantities,
  toQuantitiesReply,
  withQuantities,
} from './quantities.ts';

const fee = (id: string, quantity = '1', billingCadence = 'P1M'): CountedPrice => ({
  id,
  quantity: decimal(quantity),
  billingCadence,
  fee: { id: `fee of ${id}` },
});
const usage = (id: string): CountedPrice => ({ id, quantity: ONE, billingCadence: null, fee: null });

const PRICES = [fee('seats', '5'), fee('support'), fee('setup', '1', 'P0D'), usage('calls')];
const has = (quantities: Record<string, number>, prices = PRICES): Held => ({ prices, quantities });

describe('which quantities may be asked', () => {
  it.each([
    { asked: {}, fields: [] },
    { asked: { seats: 0, support: 1_000_000_000, setup: 3 }, fields: [] },
    { asked: { calls: 1 }, fields: ['quantities.calls'] },
    { asked: { seats: 8, licences: 2, calls: 4 }, fields: ['quantities.licences', 'quantities.calls'] },
  ])('of a new subscription: $asked', ({ asked, fields }) => {
    expect(quantityErrors(PRICES, asked).map(({ field }) => field)).toEqual(fields);
  });

  it('what is charged once keeps its quantity for as long as the subscription has the price', () => {
    expect(quantityErrors(PRICES, { setup: 2 }, has({}))).toHaveLength(1);
    expect(quantityErrors(PRICES, { setup: 2 }, has({ setup: 3 }))).toHaveLength(1);
    expect(quantityErrors(PRICES, { setup: 3 }, has({ setup: 3 }))).toEqual([]);
    expect(quantityErrors(PRICES, { setup: 2 }, has({}, [fee('seats')]))).toEqual([]);
  });
});

describe('which quantities a version gets', () => {
  it.each([
    { what: 'the prices’ own where nothing is said', asked: {}, held: undefined, decided: {} },
    { what: 'what is asked', asked: { seats: 8 }, held: undefined, decided: { seats: 8 } },
    { what: 'nothing of what is as the price has it', asked: { seats: 5, support: 1 }, held: undefined, decided: {} },
    { what: '0', asked: { seats: 0 }, held: undefined, decided: { seats: 0 } },
    {
      what: 'what the subscription has',
      asked: { support: 2 },
      held: has({ seats: 8 }),
      decided: { seats: 8, support: 2 },
    },
    {
      what: 'the price’s own again',
      asked: { seats: 5 },
      held: has({ seats: 8, support: 2 }),
      decided: { support: 2 },
    },
    {
      what: 'nothing of a price that went and came back',
      asked: {},
      held: has({ seats: 8 }, [fee('support')]),
      decided: {},
    },
  ])('$what', ({ asked, held, decided }) => {
    expect(decideQuantities(PRICES, asked, held)).toEqual(decided);
  });

  const quantities = fc
    .record({ seats: fc.nat(6), support: fc.nat(2), setup: fc.nat(2) }, { requiredKeys: [] })
    .map((each) => each as Record<string, number>);

  it('each fee price has the quantity that was asked last, and is told so; metrics have none', () => {
    fc.assert(
      fc.property(fc.array(quantities, { maxLength: 5 }), (orders) => {
        let held = has({});
        const last: Record<string, number> = { seats: 5, support: 1, setup: 1 };
        for (const asked of orders) {
          held = has(decideQuantities(PRICES, asked, held));
          Object.assign(last, asked);
        }
        const billed = withQuantities(PRICES, held.quantities);
        expect(Object.fromEntries(billed.map(({ id, quantity }) => [id, quantity.toNumber()]))).toEqual({
          ...last,
          calls: 1,
        });
        expect(JSON.stringify(toQuantitiesReply(PRICES.slice(0, 3), held.quantities))).toBe(JSON.stringify(last));
      }),
    );
  });

  it('there and back is the same', () => {
    fc.assert(
      fc.property(quantities, quantities, (first, second) => {
        const here = decideQuantities(PRICES, first);
        const there = decideQuantities(PRICES, second, has(here));
        const back = decideQuantities(PRICES, { seats: 5, support: 1, setup: 1, ...here }, has(there));
        expect(sameQuantities(here, back)).toBe(true);
        expect(sameQuantities(here, { ...here, seats: 99 })).toBe(false);
      }),
    );
  });
});
