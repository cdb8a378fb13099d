import type { Query } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import { Ref } from '../../frame/to.tsx';
import { Day, Quantity } from '../../look/figures.tsx';
import { Status } from '../../look/status.tsx';
import { Deed } from '../../shape/deed.tsx';
import { type Column, List, type RowOf, Table } from '../../shape/list.tsx';
import { Page, Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';

type Row = RowOf<'GET /v1/entitlements'>;

const metered = (row: Row) => (row.featureType === 'metered' ? row : undefined);

/** The columns of entitlements wherever they are listed. */
export const ENTITLEMENT_COLUMNS = {
  feature: {
    name: 'Feature',
    cell: ({ id, featureKey }) => <Ref id={id} name={featureKey} />,
    value: ({ featureKey }) => featureKey,
  },
  id: { name: 'ID', cell: ({ id }) => id, value: ({ id }) => id, isInFileAlone: true },
  customer: {
    name: 'Customer',
    cell: ({ customerId }) => <Ref id={customerId} />,
    value: ({ customerId }) => customerId,
  },
  status: { name: 'Status', cell: ({ status }) => <Status of={status} />, value: ({ status }) => status },
  access: { name: 'Access', cell: ({ hasAccess }) => (hasAccess ? 'Yes' : 'No'), value: ({ hasAccess }) => hasAccess },
  balance: {
    name: 'Balance',
    cell: (row) => <Quantity value={metered(row)?.balance} />,
    value: (row) => metered(row)?.balance,
    isFigure: true,
  },
  used: {
    name: 'Used',
    cell: (row) => <Quantity value={metered(row)?.usageInPeriod} />,
    value: (row) => metered(row)?.usageInPeriod,
    isFigure: true,
  },
  reset: {
    name: 'Next reset',
    cell: (row) => <Day at={metered(row)?.currentPeriodEnd} />,
    value: (row) => metered(row)?.currentPeriodEnd,
  },
} as const satisfies Record<string, Column<Row>>;

/** Entitlements of a thing, as a part of its page. */
export function EntitlementsSheet({ of }: { readonly of: Query<'GET /v1/entitlements'> }) {
  const asked = useRead('GET /v1/entitlements', { query: { ...of, limit: 50 } });
  const { feature, status, balance } = ENTITLEMENT_COLUMNS;
  return (
    <Sheet title="Entitlements" flush>
      <Part of={asked}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="empty soft">No entitlement.</p>
          ) : (
            <Table rows={data} rowKey={({ id }) => id} columns={[feature, status, balance]} />
          )
        }
      </Part>
    </Sheet>
  );
}

const FIELDS = ['customerId', 'featureId', 'template', 'activeFrom', 'activeTo'];
const MORE = ['subscriptionId', 'metadata'];
const TEMPLATE = { template: '{"type": "boolean"}' };

/** Every entitlement of the merchant, newest first. */
export function Entitlements() {
  const { feature, id, customer, status, access, balance, used, reset } = ENTITLEMENT_COLUMNS;
  return (
    <Page
      title="Entitlements"
      actions={
        <Deed
          label="New entitlement"
          operation="POST /v1/entitlements"
          fields={FIELDS}
          more={MORE}
          initial={TEMPLATE}
          isPrimary
        />
      }
    >
      <List
        operation="GET /v1/entitlements"
        file="entitlements"
        rowKey={(row) => row.id}
        filters={[
          { name: 'customerId', label: 'Customer', pick: 'cus_' },
          { name: 'productId', label: 'Product', pick: 'prod_' },
          { name: 'featureKey', label: 'Feature key' },
        ]}
        columns={[feature, id, customer, status, access, balance, used, reset]}
        empty={{
          text: 'An entitlement is the right of one customer to one feature. A subscription makes them from the prices of its plan; one can be made by hand too.',
          example: {
            method: 'POST',
            path: '/v1/entitlements',
            body: { customerId: 'cus_…', featureId: 'feat_…', template: { type: 'boolean' } },
          },
        }}
      />
    </Page>
  );
}
