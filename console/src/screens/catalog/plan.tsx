import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useRead, useTagged } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import type { CheckoutLink, Plan } from '../../api/types.ts';
import { Ref, To } from '../../frame/to.tsx';
import { Day, Moment, Money, Quantity, quantityText } from '../../look/figures.tsx';
import { Status } from '../../look/status.tsx';
import { cadenceWords, wordsOf } from '../../look/words.ts';
import { Deed } from '../../shape/deed.tsx';
import { List, Table } from '../../shape/list.tsx';
import { Facts, Page, Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';
import { Migrations } from './migrations.tsx';
import { PLAN_FIELDS, PLAN_LABELS, PLAN_MORE } from './plans.tsx';
import { PriceInCurrencies } from './price-words.tsx';
import { Versions } from './versions.tsx';

/** One plan: its prices in words, its versions, and who subscribes to it. */
export function PlanPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const may = useMay('member');
  const asked = useTagged('GET /v0/plans/{id}', { path: { id } });
  return (
    <Part of={asked}>
      {({ value: plan, etag }) => (
        <Page
          up={{ path: '/catalog/plans', name: 'Plans' }}
          title={plan.name}
          about={
            <>
              {plan.description} <code>{id}</code>
            </>
          }
          actions={
            <>
              {may && <To path={`/catalog/plans/${id}/new-version`}>New version</To>}
              <SignUpLink plan={plan} />
              <Deed
                label="Edit"
                verb="Save"
                operation="PATCH /v0/plans/{id}"
                path={{ id }}
                before={plan}
                etag={etag}
                fields={PLAN_FIELDS}
                more={PLAN_MORE}
                labels={PLAN_LABELS}
              />
            </>
          }
        >
          <div className="columns">
            <div className="stack">
              <Prices plan={plan} />
              <Versions plan={plan} />
              <Migrations planId={id} />
              <SignUpLinks planId={id} />
            </div>
            <div className="stack">
              <Details plan={plan} />
              <Subscriptions planId={id} />
            </div>
          </div>
        </Page>
      )}
    </Part>
  );
}

/** The prices of the default version, which new subscriptions get. */
function Prices({ plan }: { readonly plan: Plan }) {
  const may = useMay('member');
  return (
    <Sheet title="Prices" flush actions={may && <To path={`/catalog/plans/${plan.id}/price`}>Add a price</To>}>
      {plan.prices.length === 0 ? (
        <p className="empty soft">No price yet: a subscription to this plan costs nothing.</p>
      ) : (
        <Table
          rows={plan.prices}
          rowKey={({ id }) => id}
          columns={[
            {
              name: 'Price',
              cell: (price) => (
                <>
                  {price.invoiceDisplayName}
                  {price.billableMetricId && (
                    <span className="block fine soft">
                      Metric <Ref id={price.billableMetricId} />
                    </span>
                  )}
                </>
              ),
            },
            {
              name: 'What it costs',
              cell: (price) => (
                <PriceInCurrencies price={price} currency={plan.currency} cadence={plan.billingCadence} />
              ),
            },
            ...(may
              ? [
                  {
                    name: 'Change',
                    cell: ({ id }: { readonly id: string }) => (
                      <To path={`/catalog/plans/${plan.id}/price?replaces=${id}`}>Change</To>
                    ),
                  },
                ]
              : []),
          ]}
        />
      )}
      {plan.minimumAmount && (
        <p className="foot">
          All prices together are at least <Money value={plan.minimumAmount} currency={plan.currency} />{' '}
          {cadenceWords(plan.billingCadence)}.
        </p>
      )}
    </Sheet>
  );
}

const TRIAL_ENDS = {
  invoice: 'ends with an invoice',
  terminate: 'ends the subscription',
  pause: 'ends with a pause',
} as const;

function Details({ plan }: { readonly plan: Plan }) {
  return (
    <Sheet title="Details">
      <Facts
        of={[
          ['Product', <Ref key="product" id={plan.productId} />],
          ['Currency', plan.currency],
          ['Billed', cadenceWords(plan.billingCadence)],
          ['Periods counted from', plan.billingAnchor && <Moment at={plan.billingAnchor} />],
          ['Free trial', plan.trialPeriod],
          ['Needs a payment method', plan.trialPeriod && plan.trialRequiresPaymentMethod && 'before the trial'],
          ['Trial without a payment method', plan.trialPeriod && TRIAL_ENDS[plan.trialEndBehavior]],
          ['Late events', plan.gracePeriod !== 'PT0S' && `wait ${plan.gracePeriod}`],
          ['Name on the invoice', plan.invoiceDisplayName],
          ['Invoices', plan.autoApprove ? 'issued by themselves' : 'wait for an approval'],
          ['Tax', plan.taxBehavior === 'inclusive' ? 'in the prices' : 'on top of the prices'],
          ['Tax rate', plan.defaultTaxRate !== undefined && `${plan.defaultTaxRate}%`],
          ['Reminder', plan.renewalReminderEnabled && `${plan.renewalReminderDays} days before a period ends`],
          ['Since', <Moment key="since" at={plan.createdAt} />],
          ...Object.entries(plan.metadata).map(([name, value]) => [name, String(value)] as const),
        ]}
      />
    </Sheet>
  );
}

function Subscriptions({ planId }: { readonly planId: string }) {
  const asked = useRead('GET /v0/subscriptions', { query: { planId, limit: 5 } });
  return (
    <Sheet title="Subscriptions" actions={<To path={`/subscriptions?planId=${planId}`}>Show all</To>}>
      <Part of={asked}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <p className="soft">Nobody subscribes to it yet.</p>
          ) : (
            <div className="stack tight">
              {data.map((each) => (
                <div className="row apart" key={each.id}>
                  <Ref id={each.id} name={each.name} />
                  <Status of={each.status} />
                </div>
              ))}
              {pagination.total > data.length && (
                <span className="soft fine">and {quantityText(pagination.total - data.length)} more</span>
              )}
            </div>
          )
        }
      </Part>
    </Sheet>
  );
}

/** Makes a page on which people subscribe, and shows its address. */
function SignUpLink({ plan }: { readonly plan: Plan }) {
  const [link, setLink] = useState<CheckoutLink | null>(null);
  return (
    <>
      <Deed
        label="Sign-up link"
        verb="Make a link"
        operation="POST /v0/checkoutLinks"
        facts={[['Plan', plan.name]]}
        effects={['Whoever opens the link can subscribe to the version that is the default one at the visit.']}
        undo="You can end the link at any time."
        fields={['maxUses', 'expiresIn', 'allowPromotionCodes']}
        more={['coupons', 'currency', 'customerId', 'redirectUrls.*']}
        labels={{
          maxUses: 'People who may use it',
          expiresIn: 'It ends after',
          allowPromotionCodes: 'A field for a promotion code',
          customerId: 'Customer',
        }}
        fixed={{ planId: plan.id }}
        done={setLink}
      />
      {link && (
        <p className="note good" role="status">
          The link: <a href={link.url}>{link.url}</a>
        </p>
      )}
    </>
  );
}

function SignUpLinks({ planId }: { readonly planId: string }) {
  return (
    <Sheet title="Sign-up links" flush>
      <List
        operation="GET /v0/checkoutLinks"
        fixed={{ planId }}
        file={`sign-up-links-${planId}`}
        rowKey={({ id }) => id}
        limit={10}
        columns={[
          {
            name: 'Address',
            cell: ({ url, status }) => (status === 'open' ? <a href={url}>Open the page</a> : '—'),
            value: ({ url }) => url,
          },
          { name: 'Status', cell: ({ status }) => <Status of={status} />, value: ({ status }) => status },
          {
            name: 'Used',
            cell: ({ uses, maxUses }) => (
              <>
                <Quantity value={uses} />
                {maxUses !== null && ` of ${quantityText(maxUses)}`}
              </>
            ),
            value: ({ uses }) => uses,
            isFigure: true,
          },
          { name: 'For', cell: ({ customerId }) => (customerId ? <Ref id={customerId} /> : wordsOf('anybody')) },
          { name: 'Ends', cell: ({ expiresAt }) => <Day at={expiresAt} />, value: ({ expiresAt }) => expiresAt },
          {
            name: 'End it',
            cell: ({ id, status }) =>
              status === 'open' && (
                <Deed
                  label="End"
                  verb="End the link"
                  operation="POST /v0/checkoutLinks/{id}/expire"
                  path={{ id }}
                  effects={['Nobody can subscribe by it any more. Subscriptions stay.']}
                  undo="This cannot be undone."
                  isDangerous
                />
              ),
          },
        ]}
        empty={{ text: 'No link yet. A sign-up link is a page on which people subscribe to this plan, and pay.' }}
        isPart
      />
    </Sheet>
  );
}
