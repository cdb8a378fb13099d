import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal } from '../kernel/decimal.ts';
import { contentHash, orderContent } from './content.ts';
import type { Order, OrderLine } from './order.ts';

const at = (text: string) => Temporal.Instant.from(text);
const CREATED = at('2026-01-01T00:00:00Z');

const line = (fields: Partial<OrderLine> = {}): OrderLine => ({
  merchantId: 'org_a',
  id: 'oli_a',
  orderId: 'ord_a',
  itemId: 'itm_a',
  description: 'Seats',
  quantity: decimal('2'),
  listUnitPrice: decimal('60'),
  discountUnitAmount: decimal('10'),
  unitPrice: decimal('50'),
  totalPrice: decimal('100'),
  termStartDate: null,
  termEndDate: null,
  metadata: {},
  createdAt: CREATED,
  updatedAt: CREATED,
  ...fields,
});

const order = (fields: Partial<Order> = {}): Order => ({
  merchantId: 'org_a',
  id: 'ord_a',
  customerId: 'cus_a',
  resellerId: null,
  taxExempt: false,
  sellingEntity: null,
  currency: 'USD',
  approvalStatus: 'draft',
  cancelledAt: null,
  type: null,
  termStartDate: at('2026-01-31T00:00:00Z'),
  termEndDate: at('2027-01-31T00:00:00Z'),
  closeDate: null,
  namedTotal: null,
  defaultPaymentTermDays: 30,
  metadata: {},
  testClockId: null,
  createdAt: CREATED,
  updatedAt: CREATED,
  lineItems: [line(), line({ id: 'oli_b', totalPrice: decimal('7') })],
  ...fields,
});

const hashOf = (each: Order, schedules: readonly unknown[] = []) => contentHash(orderContent(each, schedules));
const withLine = (fields: Partial<OrderLine>) => order({ lineItems: [line(fields), ...order().lineItems.slice(1)] });
const before = hashOf(order());

describe('the hash of an order’s content', () => {
  it.each<[string, Order]>([
    ['the customer', order({ customerId: 'cus_b' })],
    ['the currency', order({ currency: 'EUR' })],
    ['the type', order({ type: 'renewal' })],
    ['the tax exemption', order({ taxExempt: true })],
    ['the start', order({ termStartDate: at('2026-01-31T00:00:00.000001Z') })],
    ['the end', order({ termEndDate: at('2027-01-30T00:00:00Z') })],
    ['the total', order({ namedTotal: decimal('107.01') })],
    ['the payment term', order({ defaultPaymentTermDays: 31 })],
    ['a line less', order({ lineItems: [line()] })],
    ['an item', withLine({ itemId: null })],
    ['a description', withLine({ description: 'Chairs' })],
    ['a quantity', withLine({ quantity: decimal('2.000000000001') })],
    ['a list price', withLine({ listUnitPrice: decimal('61') })],
    ['a discount', withLine({ discountUnitAmount: decimal('11') })],
    ['a total price', withLine({ totalPrice: decimal('100.01') })],
    ['a line’s start', withLine({ termStartDate: at('2026-02-01T00:00:00Z') })],
    ['a line’s end', withLine({ termEndDate: at('2026-12-31T00:00:00Z') })],
  ])('changes with %s', (_, changed) => expect(hashOf(changed)).not.toBe(before));

  it.each<[string, Order]>([
    ['metadata', order({ metadata: { a: 'b' } })],
    ['the close date', order({ closeDate: CREATED })],
    ['the reseller', order({ resellerId: 'r' })],
    ['the selling entity', order({ sellingEntity: 'S' })],
    ['the status', order({ approvalStatus: 'pending' })],
    ['times of writing', order({ updatedAt: at('2026-02-01T00:00:00Z') })],
    ['metadata of a line', withLine({ metadata: { a: 'b' }, updatedAt: at('2026-02-01T00:00:00Z') })],
    ['a total that is named as it is', order({ namedTotal: decimal('107.00') })],
  ])('keeps with %s', (_, changed) => expect(hashOf(changed)).toBe(before));

  it('changes with a billing schedule, and not with the order of its fields', () => {
    const schedule = { id: 'bsch_a', startDate: 'x', intervals: [{ id: 'sint_a', baseQuantity: '1' }] };
    const turned = { intervals: [{ baseQuantity: '1', id: 'sint_a' }], startDate: 'x', id: 'bsch_a' };
    expect(hashOf(order(), [schedule])).not.toBe(before);
    expect(hashOf(order(), [turned])).toBe(hashOf(order(), [schedule]));
    expect(hashOf(order(), [{ ...schedule, startDate: 'y' }])).not.toBe(hashOf(order(), [schedule]));
  });

  it('is the same whatever the order of fields and lines and the form of numbers and times', () => {
    const zeros = fc.integer({ min: 1, max: 6 }).map((count) => '0'.repeat(count));
    const shape = fc.record({ quantity: zeros, price: zeros, turned: fc.boolean(), shuffled: fc.boolean() });
    fc.assert(
      fc.property(shape, ({ quantity, price, turned, shuffled }) => {
        const same = [
          line({ quantity: decimal(`2.${quantity}`), listUnitPrice: decimal(`60.${price}`) }),
          line({ id: 'oli_b', totalPrice: decimal(`7.${price}`) }),
        ];
        const written = order({
          lineItems: turned ? same.toReversed() : same,
          termStartDate: at('2026-01-31T01:00:00.000000+01:00'),
        });
        const fields = Object.entries(written);
        const rebuilt = Object.fromEntries(shuffled ? fields.toReversed() : fields) as unknown as Order;
        expect(hashOf(rebuilt)).toBe(before);
      }),
    );
  });

  it('differs for any two quantities, prices and instants that differ', () => {
    const figure = fc.integer({ min: 0, max: 10 ** 9 }).map((units) => decimal(units).div(1000));
    const instant = fc.integer({ min: 0, max: 10 ** 9 }).map((seconds) => CREATED.add({ seconds }));
    const own = fc.record({ quantity: figure, listUnitPrice: figure, totalPrice: figure, termStartDate: instant });
    fc.assert(
      fc.property(own, own, (a, b) => {
        const isSame =
          a.quantity.eq(b.quantity) &&
          a.listUnitPrice.eq(b.listUnitPrice) &&
          a.totalPrice.eq(b.totalPrice) &&
          a.termStartDate.equals(b.termStartDate);
        expect(hashOf(withLine(a)) === hashOf(withLine(b))).toBe(isSame);
        expect(hashOf(withLine({ ...a }))).toBe(hashOf(withLine(a)));
      }),
    );
  });
});
