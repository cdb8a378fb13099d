import { formatInstant, type Instant } from '../kernel/time.ts';
import type { Client } from './client.ts';

/** The customer with a contract. */
const CUSTOMER = 'nordlys';

/**
 * A contract over a year that begins next month: seats by the quarter, half as many again from the second half-year on.
 * It waits for somebody's approval. @param client of the merchant's own key
 */
export async function makeOrder(client: Client, until: Instant): Promise<void> {
  const { data } = await client.get(`/v0/customers?externalId=${CUSTOMER}`);
  const start = until.toZonedDateTimeISO('UTC').with({ day: 1 }).startOfDay().add({ months: 1 });
  const at = (months: number): string => formatInstant(start.add({ months }).toInstant());
  const order = await client.once('order', '/v0/orders', {
    customerId: data[0].id,
    currency: 'USD',
    type: 'new_business',
    termStartDate: at(0),
    termEndDate: at(12),
    defaultPaymentTermDays: 30,
    lineItems: [
      {
        description: 'Analyst seats, by the quarter',
        quantity: '500',
        listUnitPrice: '150',
        discountUnitAmount: '30',
        unitPrice: '120',
        totalPrice: '60000',
      },
    ],
  });
  const schedule = await client.once('schedule', '/v0/billingSchedules', {
    orderId: order.id,
    startDate: at(0),
    endDate: at(12),
    billingAnchor: at(0),
    periodPreset: 'P3M',
  });
  await client.put(`/v0/billingSchedules/${schedule.id}/intervals`, {
    intervals: [
      {
        orderLineItemId: order.lineItems[0].id,
        baseQuantity: '100',
        quantityTransitions: [{ effectiveDate: at(6), quantity: '150' }],
        billingCadence: 'P3M',
        billingMode: 'advance',
        startDate: at(0),
        endDate: at(12),
      },
    ],
  });
  await client.once('order approval', `/v0/orders/${order.id}/approvals`, {
    kind: 'financial_review',
    note: 'A fifth off the list price for a year, invoiced each quarter.',
  });
}
