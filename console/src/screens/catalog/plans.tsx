import { useNavigate } from '@tanstack/react-router';
import type { Plan } from '../../api/types.ts';
import { usePlace } from '../../frame/places.ts';
import { Ref } from '../../frame/to.tsx';
import { Moment } from '../../look/figures.tsx';
import { cadenceWords } from '../../look/words.ts';
import { Deed } from '../../shape/deed.tsx';
import { type Column, List } from '../../shape/list.tsx';
import { Page } from '../../shape/page.tsx';
import { useProductFilter } from './product-filter.ts';

export const PLAN_FIELDS = ['name', 'productId', 'currency', 'billingCadence', 'trialPeriod', 'description'];
export const PLAN_MORE = [
  ...['invoiceDisplayName', 'billingAnchor', 'gracePeriod', 'autoApprove', 'taxBehavior', 'defaultTaxRate'],
  ...['defaultTaxCode', 'renewalReminderEnabled', 'renewalReminderDays', 'metadata'],
];
const TRIAL_FIELDS = ['trialRequiresPaymentMethod', 'trialEndBehavior'];
export const PLAN_LABELS = {
  productId: 'Product',
  billingCadence: 'Billing period (P1M is a month, P1Y a year)',
  trialPeriod: 'Free trial (P14D is 14 days)',
  trialRequiresPaymentMethod: 'A trial needs a payment method',
  trialEndBehavior: 'At the end of a trial without a payment method',
  invoiceDisplayName: 'Name on the invoice',
  billingAnchor: 'Periods are counted from',
  gracePeriod: 'Wait for late events (PT24H is a day)',
  autoApprove: 'Issue invoices without an approval',
  taxBehavior: 'Tax',
  defaultTaxRate: 'Tax rate in percent',
  renewalReminderEnabled: 'Remind by e-mail before a period ends',
  renewalReminderDays: 'Days before',
};

/** The columns of plans wherever they are listed. */
export const PLAN_COLUMNS = {
  name: { name: 'Name', cell: ({ id, name }) => <Ref id={id} name={name} />, value: ({ name }) => name },
  product: {
    name: 'Product',
    cell: ({ productId }) => <Ref id={productId} />,
    value: ({ productId }) => productId,
  },
  currency: { name: 'Currency', cell: ({ currency }) => currency, value: ({ currency }) => currency },
  cadence: {
    name: 'Billed',
    cell: ({ billingCadence }) => cadenceWords(billingCadence),
    value: ({ billingCadence }) => billingCadence,
  },
  prices: {
    name: 'Prices',
    cell: ({ prices }) => prices.map(({ invoiceDisplayName }) => invoiceDisplayName).join(', ') || '—',
    value: ({ prices }) => prices.map(({ invoiceDisplayName }) => invoiceDisplayName).join(', '),
  },
  since: { name: 'Since', cell: ({ createdAt }) => <Moment at={createdAt} />, value: ({ createdAt }) => createdAt },
} as const satisfies Record<string, Column<Plan>>;

/** Every plan of the merchant. */
export function Plans() {
  const navigate = useNavigate();
  const place = usePlace();
  const product = useProductFilter();
  const { name, product: productColumn, currency, cadence, prices, since } = PLAN_COLUMNS;
  return (
    <Page
      title="Plans"
      actions={
        <Deed
          label="New plan"
          operation="POST /v0/plans"
          fields={PLAN_FIELDS}
          more={[...PLAN_MORE, ...TRIAL_FIELDS, 'minimumAmount']}
          labels={{ ...PLAN_LABELS, minimumAmount: 'Commitment: at least in each period' }}
          isPrimary
          done={({ id }) => void navigate({ to: place(`/catalog/plans/${id}`) })}
        />
      }
    >
      <List
        operation="GET /v0/plans"
        file="plans"
        rowKey={({ id }) => id}
        filters={[product]}
        columns={[name, productColumn, currency, cadence, prices, since]}
        empty={{
          text: 'A plan is a set of prices in one currency. Customers subscribe to it.',
          example: {
            method: 'POST',
            path: '/v0/plans',
            body: {
              name: 'Business',
              productId: 'prod_…',
              currency: 'EUR',
              billingCadence: 'P1M',
              prices: ['price_…'],
            },
          },
        }}
      />
    </Page>
  );
}
