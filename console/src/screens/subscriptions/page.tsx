import { useParams } from '@tanstack/react-router';
import { ApiError } from '../../api/errors.ts';
import { useRead, useTagged } from '../../api/queries.ts';
import type { Subscription } from '../../api/types.ts';
import { Ref, To } from '../../frame/to.tsx';
import { Day, Moment, Money, percentText, quantityText } from '../../look/figures.tsx';
import { Status } from '../../look/status.tsx';
import { valueWords, wordsOf } from '../../look/words.ts';
import { Deed } from '../../shape/deed.tsx';
import { Percent } from '../../shape/fields.tsx';
import { Table } from '../../shape/list.tsx';
import { Facts, Page, Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';
import { EntitlementsSheet } from '../entitlements/list.tsx';
import { Actions } from './actions.tsx';
import { Commitments, Coupons } from './commercial.tsx';
import { InvoiceLines } from './lines.tsx';
import { State } from './list.tsx';
import { Periods } from './periods.tsx';
import { Overrides, Prices, usePlanPrices } from './prices.tsx';

/** One subscription: its agreement, its periods on a line of time, its next invoice, and what will change. */
export function SubscriptionPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const asked = useTagged('GET /v0/subscriptions/{id}', { path: { id } });
  return (
    <Part of={asked}>
      {({ value: subscription, etag }) => (
        <Page
          up={{ path: '/subscriptions', name: 'Subscriptions' }}
          title={subscription.name}
          state={<State of={subscription} />}
          about={
            <>
              <Ref id={subscription.customerId} /> · <code>{id}</code>
            </>
          }
          actions={<Actions subscription={subscription} etag={etag} />}
        >
          {subscription.warnings?.map((warning) => (
            <p className="note warn" key={warning}>
              {warning}
            </p>
          ))}
          <Awaited subscription={subscription} />
          <Pausing subscription={subscription} />
          <Periods subscription={subscription} />
          <div className="columns">
            <div className="stack">
              <Upcoming subscription={subscription} />
              <Agreement subscription={subscription} />
              <Negotiated subscription={subscription} />
              <Changes id={id} />
              <Discounts subscription={subscription} />
              <Coupons subscription={subscription} />
              <Commitments
                customerId={subscription.customerId}
                subscription={subscription}
                currency={subscription.currency}
              />
            </div>
            <div className="stack">
              <About subscription={subscription} />
              <EntitlementsSheet of={{ subscriptionId: id }} />
            </div>
          </div>
        </Page>
      )}
    </Part>
  );
}

/** A pause that holds, or is to come. */
function Pausing({ subscription: { pausedAt, resumesAt, pauseUsage } }: { readonly subscription: Subscription }) {
  if (pausedAt === null) return null;
  return (
    <p className="note warn">
      Paused from <Moment at={pausedAt} /> until {resumesAt ? <Moment at={resumesAt} /> : 'it is resumed'}: no fees and
      no access. Usage is {pauseUsage === 'free' ? 'free' : 'billed'}.
    </p>
  );
}

/** What the subscription waits for before it is active. */
function Awaited({ subscription: { payment } }: { readonly subscription: Subscription }) {
  if (payment === null || payment.status === 'paid') return null;
  return (
    <div className="note warn">
      {payment.status === 'pending'
        ? 'It is active once its first payment is made'
        : 'Its first invoice waits for approval'}
      : <To path={`/invoices/${payment.invoiceId}`}>the invoice</To>
      {payment.status === 'pending' && payment.checkoutUrl !== null && (
        <>
          {' · '}
          <a href={payment.checkoutUrl} target="_blank" rel="noreferrer">
            the payment page of the customer
          </a>
        </>
      )}
    </div>
  );
}

/** The invoice of the open period as it would be now. */
function Upcoming({ subscription: { id, status } }: { readonly subscription: Subscription }) {
  const asked = useRead(
    'GET /v0/subscriptions/{id}/upcomingInvoice',
    { path: { id } },
    { enabled: status === 'active' },
  );
  if (status !== 'active' || (asked.error instanceof ApiError && asked.error.status === 404))
    return (
      <Sheet title="Next invoice">
        <p className="soft">No period is open.</p>
      </Sheet>
    );
  return (
    <Sheet title="Next invoice, as of now" flush>
      <Part of={asked}>{(invoice) => <InvoiceLines invoice={invoice} />}</Part>
    </Sheet>
  );
}

function Agreement({ subscription }: { readonly subscription: Subscription }) {
  const { planId, planVersionNumber, quantities, currency } = subscription;
  const { plan, prices } = usePlanPrices(planId, planVersionNumber, currency);
  return (
    <Sheet title="Prices" flush>
      <Part of={{ data: plan && prices && { plan, prices }, error: null, refetch: () => null }}>
        {(found) => <Prices {...found} quantities={quantities} />}
      </Part>
    </Sheet>
  );
}

/** Prices that were negotiated, each with its time; none is shown where there is none. */
function Negotiated({ subscription }: { readonly subscription: Subscription }) {
  const { planId, planVersionNumber, priceOverrides, currency } = subscription;
  const { plan, prices } = usePlanPrices(planId, planVersionNumber, currency);
  if (priceOverrides.length === 0) return null;
  return (
    <Sheet title="Negotiated prices" flush>
      <Part of={{ data: plan && prices && { plan, prices }, error: null, refetch: () => null }}>
        {(found) => <Overrides {...found} overrides={priceOverrides} />}
      </Part>
    </Sheet>
  );
}

function About({ subscription }: { readonly subscription: Subscription }) {
  const { terminatedAt, autoApprove } = subscription;
  const yes = (flag: boolean) => (flag ? 'Yes' : 'No');
  return (
    <Sheet title="Details">
      <Facts
        of={[
          ['Customer', <Ref key="customer" id={subscription.customerId} />],
          [
            'Plan',
            <span key="plan">
              <Ref id={subscription.planId} /> version {subscription.planVersionNumber}
            </span>,
          ],
          ['Started', <Moment key="start" at={subscription.startedAt} />],
          ['Trial until', subscription.trialEnd && <Moment at={subscription.trialEnd} />],
          ['Ends', subscription.endingAt && <Moment at={subscription.endingAt} />],
          ['Ended', terminatedAt && <Moment at={terminatedAt} />],
          ['Ended by', terminatedAt && <Ref id={subscription.terminatedBy} />],
          ['Reason', subscription.terminationReason && wordsOf(subscription.terminationReason)],
          ['Tax rate now', `${quantityText(subscription.estimatedTaxRate)}%`],
          ['Tax exempt', subscription.taxExempt && 'Yes'],
          ['Needs billing credits', subscription.creditsRequired && 'Yes'],
          ['Charges the card', yes(subscription.autoCharge)],
          ['Bank transfer only', subscription.bankTransferOnly && `Yes, ${subscription.paymentTermDays} days to pay`],
          ['Approves invoices', autoApprove === null ? 'As the plan says' : autoApprove ? 'Automatically' : 'By hand'],
          ['Into the wallet', Number(subscription.prefundAmount) > 0 && <Money value={subscription.prefundAmount} />],
          ['Test clock', subscription.testClockId && <Ref id={subscription.testClockId} />],
          [
            'Metadata',
            Object.keys(subscription.metadata).length > 0 && <code>{JSON.stringify(subscription.metadata)}</code>,
          ],
        ]}
      />
    </Sheet>
  );
}

/** Changes of plan and quantities; one that has not come yet can be cancelled. */
function Changes({ id }: { readonly id: string }) {
  const asked = useRead('GET /v0/subscriptions/{id}/changes', { path: { id }, query: { limit: 50 } });
  return (
    <Sheet title="Changes of plan, quantities and prices" flush>
      <Part of={asked}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="empty soft">None.</p>
          ) : (
            <Table
              rows={data}
              rowKey={(row) => row.id ?? row.createdAt}
              columns={[
                { name: 'Takes effect', cell: ({ effectiveAt }) => <Moment at={effectiveAt} /> },
                { name: 'Status', cell: ({ status }) => <Status of={status} /> },
                {
                  name: 'To',
                  cell: ({ planId, planVersionNumber, quantities, priceOverrides }) => (
                    <span>
                      <Ref id={planId} /> version {planVersionNumber}
                      {Object.entries(quantities).map(([priceId, quantity]) => (
                        <span className="block soft fine" key={priceId}>
                          {quantityText(quantity)} × <Ref id={priceId} />
                        </span>
                      ))}
                      {priceOverrides && (
                        <span className="block soft fine">Negotiated prices: {priceOverrides.length || 'none'}</span>
                      )}
                    </span>
                  ),
                },
                { name: 'Proration', cell: ({ proration }) => valueWords('proration', proration) },
                {
                  name: '',
                  cell: (row) =>
                    row.status === 'scheduled' && row.id !== null ? (
                      <Deed
                        label="Cancel"
                        verb="Cancel the change"
                        operation="DELETE /v0/subscriptions/{id}/changes/{changeId}"
                        path={{ id, changeId: row.id }}
                        effects={['The subscription stays as it is.']}
                        isDangerous
                      />
                    ) : null,
                },
              ]}
            />
          )
        }
      </Part>
    </Sheet>
  );
}

const DISCOUNT_FIELDS = ['percentageDiscount', 'effectiveFrom', 'effectiveTo', 'description'];
const DISCOUNT_LABELS = { percentageDiscount: 'Discount', effectiveFrom: 'From', effectiveTo: 'To' };

const DISCOUNT_INPUTS = { percentageDiscount: Percent };

/** Discounts in percent on all charges of invoices whose grace period ends in their window. */
function Discounts({ subscription: { id, status } }: { readonly subscription: Subscription }) {
  const asked = useRead('GET /v0/subscriptions/{id}/adjustments', { path: { id }, query: { limit: 50 } });
  return (
    <Sheet
      title="Discounts"
      flush
      actions={
        status !== 'terminated' && (
          <Deed
            label="Add a discount"
            operation="POST /v0/subscriptions/{id}/adjustments"
            path={{ id }}
            fields={DISCOUNT_FIELDS}
            labels={DISCOUNT_LABELS}
            fixed={{ type: 'percentageDiscount' }}
            inputs={DISCOUNT_INPUTS}
            effects={[]}
            undo="Undone by deleting it; invoices that it has discounted stay."
          />
        )
      }
    >
      <Part of={asked}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="empty soft">None.</p>
          ) : (
            <Table
              rows={data}
              rowKey={(row) => row.id}
              columns={[
                { name: 'Discount', cell: (row) => percentText(row.percentageDiscount) },
                { name: 'From', cell: ({ effectiveFrom }) => <Day at={effectiveFrom} /> },
                { name: 'To', cell: ({ effectiveTo }) => <Day at={effectiveTo} /> },
                { name: 'Description', cell: ({ description }) => description || '—' },
                {
                  name: '',
                  cell: (row) => (
                    <Deed
                      label="Delete"
                      verb="Delete the discount"
                      operation="DELETE /v0/subscriptions/{id}/adjustments/{adjustmentId}"
                      path={{ id, adjustmentId: row.id }}
                      facts={[['Discount', percentText(row.percentageDiscount)]]}
                      effects={['Invoices that are calculated from now on have no such discount.']}
                      isDangerous
                    />
                  ),
                },
              ]}
            />
          )
        }
      </Part>
    </Sheet>
  );
}
