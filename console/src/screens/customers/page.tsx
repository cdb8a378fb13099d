import { Tabs } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useRead, useTagged } from '../../api/queries.ts';
import type { Customer } from '../../api/types.ts';
import { Ref } from '../../frame/to.tsx';
import { Day, Moment, Money, Quantity } from '../../look/figures.tsx';
import { Status } from '../../look/status.tsx';
import { wordsOf } from '../../look/words.ts';
import { Deed } from '../../shape/deed.tsx';
import { List, Table } from '../../shape/list.tsx';
import { Facts, Page, Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';
import { wholeOf } from '../../shape/whole.ts';
import { INVOICE_COLUMNS } from '../invoices/list.tsx';
import { BillingCredits } from './credits.tsx';
import { Receipts } from './receipts.tsx';
import { Statement } from './statement.tsx';
import { Timeline } from './timeline.tsx';

/** One customer: what it owes and has, and all that has happened. */
export function CustomerPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { tab = 'overview' } = useSearch({ strict: false }) as { tab?: string };
  const navigate = useNavigate();
  const asked = useTagged('GET /v0/customers/{id}', { path: { id } });
  return (
    <Part of={asked}>
      {({ value: customer, etag }) => (
        <Page
          up={{ path: '/customers', name: 'Customers' }}
          title={customer.organization.name}
          about={
            <>
              {customer.organization.billingEmails[0]} · <code>{customer.id}</code>
            </>
          }
          actions={<Actions customer={customer} etag={etag} />}
        >
          <Tabs
            value={tab}
            onChange={(value) =>
              void navigate({ to: '.', search: { tab: value ?? undefined } as never, replace: true })
            }
            keepMounted={false}
          >
            <Tabs.List>
              <Tabs.Tab value="overview">Overview</Tabs.Tab>
              <Tabs.Tab value="timeline">Timeline</Tabs.Tab>
              <Tabs.Tab value="invoices">Invoices</Tabs.Tab>
              <Tabs.Tab value="wallet">Wallet</Tabs.Tab>
              <Tabs.Tab value="credits">Credits and commitments</Tabs.Tab>
              <Tabs.Tab value="receipts">Receipts</Tabs.Tab>
              <Tabs.Tab value="statement">Statement</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="overview" pt="md">
              <div className="columns">
                <div className="stack">
                  <Subscriptions id={id} />
                  <Entitlements id={id} />
                  <PaysFor id={id} />
                </div>
                <div className="stack">
                  <Owed id={id} />
                  <Details customer={customer} />
                </div>
              </div>
            </Tabs.Panel>
            <Tabs.Panel value="timeline" pt="md">
              <Timeline id={id} />
            </Tabs.Panel>
            <Tabs.Panel value="wallet" pt="md">
              <WalletEntries customer={customer} />
            </Tabs.Panel>
            <Tabs.Panel value="credits" pt="md">
              <BillingCredits customer={customer} />
            </Tabs.Panel>
            <Tabs.Panel value="receipts" pt="md">
              <Receipts customer={customer} />
            </Tabs.Panel>
            <Tabs.Panel value="statement" pt="md">
              {customer.payerId ? (
                <p className="note">
                  <Ref id={customer.payerId} /> pays for this customer, and has the statement.
                </p>
              ) : (
                <Statement id={id} />
              )}
            </Tabs.Panel>
            <Tabs.Panel value="invoices" pt="md">
              <Invoices id={id} />
            </Tabs.Panel>
          </Tabs>
        </Page>
      )}
    </Part>
  );
}

function Actions({ customer, etag }: { readonly customer: Customer; readonly etag: string | undefined }) {
  const { id, organization } = customer;
  const navigate = useNavigate();
  return (
    <>
      <Deed label="Edit" verb="Save" operation="PATCH /v0/customers/{id}" path={{ id }} before={customer} etag={etag} />
      <Deed
        label="Name and address"
        verb="Save"
        operation="PATCH /v0/organizations/{id}"
        path={{ id: organization.id }}
        before={organization}
        fields={['name', 'billingEmails', 'phone', 'address.*']}
        send={(body) => wholeOf(organization, body, (each) => each === 'address')}
      />
      <Deed
        label="Portal link"
        verb="Make a link"
        operation="POST /v0/customers/{id}/portal"
        path={{ id }}
        effects={['Whoever has the link sees and pays the invoices of this customer, until it ends.']}
        done={({ url }) => window.open(url, '_blank', 'noopener')}
      />
      <Deed
        label="Delete"
        verb="Delete the customer"
        operation="DELETE /v0/customers/{id}"
        path={{ id }}
        effects={['A customer with subscriptions or invoices stays, and the answer says why.']}
        undo="This cannot be undone."
        isDangerous
        done={() => void navigate({ to: '..' })}
      />
    </>
  );
}

function Subscriptions({ id }: { readonly id: string }) {
  const asked = useRead('GET /v0/subscriptions', { query: { customerId: id, limit: 20 } });
  return (
    <Sheet title="Subscriptions" flush>
      <Part of={asked}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="empty soft">No subscription yet.</p>
          ) : (
            <Table
              rows={data}
              rowKey={(row) => row.id}
              columns={[
                { name: 'Name', cell: (row) => <Ref id={row.id} name={row.name} /> },
                { name: 'Plan', cell: ({ planId }) => <Ref id={planId} /> },
                { name: 'Status', cell: ({ status }) => <Status of={status} /> },
                { name: 'Since', cell: ({ startedAt }) => <Day at={startedAt} /> },
              ]}
            />
          )
        }
      </Part>
    </Sheet>
  );
}

function Entitlements({ id }: { readonly id: string }) {
  const asked = useRead('GET /v1/entitlements', { query: { customerId: id, limit: 50 } });
  return (
    <Sheet title="Entitlements" flush>
      <Part of={asked}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="empty soft">No entitlement.</p>
          ) : (
            <Table
              rows={data}
              rowKey={(row) => row.id}
              columns={[
                { name: 'Feature', cell: (row) => <Ref id={row.id} name={row.featureKey} /> },
                { name: 'Access', cell: (row) => <Status of={row.hasAccess ? 'active' : 'ended'} /> },
                {
                  name: 'Balance',
                  cell: (row) => (row.featureType === 'metered' ? <Quantity value={row.balance} /> : '—'),
                  isFigure: true,
                },
                {
                  name: 'Used',
                  cell: (row) => (row.featureType === 'metered' ? <Quantity value={row.usageInPeriod} /> : '—'),
                  isFigure: true,
                },
              ]}
            />
          )
        }
      </Part>
    </Sheet>
  );
}

function Owed({ id }: { readonly id: string }) {
  const wallet = useRead('GET /v0/customers/{id}/wallet', { path: { id } });
  const methods = useRead('GET /v0/customers/{id}/paymentMethods', { path: { id } });
  return (
    <Sheet title="Money">
      <Part of={wallet}>
        {({ balances }) => (
          <Facts
            of={[
              ...balances.map(
                ({ currency, balance }) =>
                  [`Wallet ${currency}`, <Money key={currency} value={balance} currency={currency} />] as const,
              ),
              [
                'Payment method',
                methods.data?.data.length === 0
                  ? 'None'
                  : methods.data?.data.map((each) => (
                      <span
                        className="block"
                        key={each.id}
                      >{`${each.brand} ·· ${each.last4}${each.isDefault ? ' (default)' : ''}`}</span>
                    )),
              ],
            ]}
          />
        )}
      </Part>
    </Sheet>
  );
}

function Details({ customer }: { readonly customer: Customer }) {
  const { organization } = customer;
  const address = organization.address;
  return (
    <Sheet title="Details">
      <Facts
        of={[
          ['Your own id', customer.externalId],
          [
            'Address',
            address &&
              [
                address.line1,
                address.line2,
                `${address.zipCode ?? ''} ${address.city ?? ''}`.trim(),
                address.state,
                address.country,
              ]
                .filter(Boolean)
                .join(', '),
          ],
          ['Paid by', customer.payerId && <Ref key="payer" id={customer.payerId} />],
          ['Joined invoices', customer.invoiceGrouping && 'yes'],
          ['Currency', customer.currency],
          ['Language', customer.locale],
          [
            'Tax number',
            customer.taxId && `${customer.taxId}${customer.taxIdStatus ? ` (${customer.taxIdStatus})` : ''}`,
          ],
          ['Tax exempt', customer.taxExempt && (customer.taxExemptReason ?? 'yes')],
          ['Phone', organization.phone],
          ['Since', <Moment key="since" at={customer.createdAt} />],
        ]}
      />
    </Sheet>
  );
}

/** The customers for which one pays, where there are any. */
function PaysFor({ id }: { readonly id: string }) {
  const asked = useRead('GET /v0/customers', { query: { payerId: id, limit: 100 } });
  const { number, customer, status, period, unpaid } = INVOICE_COLUMNS;
  const children = asked.data?.data ?? [];
  if (children.length === 0) return null;
  return (
    <Sheet title="Pays for" flush>
      <Table
        rows={children}
        rowKey={(row) => row.id}
        columns={[{ name: 'Name', cell: (row) => <Ref id={row.id} name={row.organization.name} /> }]}
      />
      <List
        operation="GET /v2/invoices"
        fixed={{ payerId: id }}
        file={`invoices-paid-by-${id}`}
        rowKey={(row) => row.id}
        columns={[number, customer, status, period, unpaid]}
        empty={{ text: 'No invoice yet.' }}
        isPart
      />
    </Sheet>
  );
}

function Invoices({ id }: { readonly id: string }) {
  const { number, status, period, due, total, unpaid } = INVOICE_COLUMNS;
  return (
    <List
      operation="GET /v2/invoices"
      fixed={{ customerId: id }}
      file={`invoices-${id}`}
      rowKey={(row) => row.id}
      columns={[number, status, period, due, total, unpaid]}
      empty={{ text: 'No invoice yet.' }}
      isPart
    />
  );
}

function WalletEntries({ customer }: { readonly customer: Customer }) {
  const { id, currency } = customer;
  return (
    <div className="stack">
      <div className="row">
        <Deed
          label="Top up"
          operation="POST /v0/customers/{id}/wallet/topUps"
          path={{ id }}
          fields={['amount', 'currency']}
          initial={{ currency: currency ?? '' }}
          fixed={{ idempotencyKey: crypto.randomUUID() }}
          effects={['An invoice over the amount is made. The wallet has the money when it is paid.']}
        />
      </div>
      <List
        operation="GET /v0/customers/{id}/wallet/entries"
        path={{ id }}
        file={`wallet-${id}`}
        rowKey={(row) => row.id}
        columns={[
          { name: 'When', cell: ({ createdAt }) => <Moment at={createdAt} />, value: ({ createdAt }) => createdAt },
          { name: 'What', cell: ({ reason }) => wordsOf(reason), value: ({ reason }) => reason },
          { name: 'Invoice', cell: ({ invoiceId }) => <Ref id={invoiceId} />, value: ({ invoiceId }) => invoiceId },
          {
            name: 'Amount',
            cell: (row) => <Money value={row.amount} currency={row.currency} />,
            value: (row) => row.amount,
            isFigure: true,
          },
        ]}
        empty={{ text: 'The wallet has never had money.' }}
        isPart
      />
    </div>
  );
}
