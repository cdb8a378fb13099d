import { useNavigate } from '@tanstack/react-router';
import { usePlace } from '../../frame/places.ts';
import { Ref } from '../../frame/to.tsx';
import { Moment } from '../../look/figures.tsx';
import { Deed } from '../../shape/deed.tsx';
import { List } from '../../shape/list.tsx';
import { Page } from '../../shape/page.tsx';

const FIELDS = ['consumer.name', 'consumer.email', 'consumer.address.*', 'externalId', 'currency', 'locale', 'taxId'];
const MORE = [
  'consumer.phone',
  'taxExempt',
  'taxExemptReason',
  'taxRates',
  'buyerReference',
  'payerId',
  'invoiceGrouping',
  'metadata',
];
const LABELS = {
  'consumer.name': 'Name',
  'consumer.email': 'E-mail',
  externalId: 'Your own id of the customer',
  locale: 'Language',
  payerId: 'Paid by',
  invoiceGrouping: 'Joined invoices',
};

/** Makes a customer, and opens its page. */
function NewCustomer() {
  const navigate = useNavigate();
  const place = usePlace();
  return (
    <Deed
      label="New customer"
      operation="POST /v0/customers"
      fields={FIELDS}
      more={MORE}
      labels={LABELS}
      required={['consumer.name', 'consumer.email', 'consumer.address.country']}
      isPrimary
      done={({ id }) => void navigate({ to: place(`/customers/${id}`) })}
    />
  );
}

/** Every customer of the merchant, newest first. */
export function Customers() {
  return (
    <Page title="Customers" actions={<NewCustomer />}>
      <List
        operation="GET /v0/customers"
        file="customers"
        rowKey={({ id }) => id}
        filters={[
          { name: 'name', label: 'Name' },
          { name: 'email', label: 'E-mail' },
          { name: 'externalId', label: 'Your own id' },
        ]}
        columns={[
          {
            name: 'Name',
            cell: ({ id, organization }) => <Ref id={id} name={organization.name} />,
            value: ({ organization }) => organization.name,
          },
          {
            name: 'E-mail',
            cell: ({ organization }) => organization.billingEmails[0] ?? '—',
            value: ({ organization }) => organization.billingEmails[0],
          },
          { name: 'Your own id', cell: ({ externalId }) => externalId ?? '—', value: ({ externalId }) => externalId },
          {
            name: 'Country',
            cell: ({ organization }) => organization.address?.country ?? '—',
            value: ({ organization }) => organization.address?.country,
          },
          { name: 'Currency', cell: ({ currency }) => currency ?? '—', value: ({ currency }) => currency },
          { name: 'Since', cell: ({ createdAt }) => <Moment at={createdAt} />, value: ({ createdAt }) => createdAt },
        ]}
        empty={{
          text: 'A customer is who gets your invoices. Usage events may come before the customer: they count as soon as it has the id that they name.',
          example: {
            method: 'POST',
            path: '/v0/customers',
            body: {
              externalId: 'workspace-1',
              consumer: {
                name: 'Delft Design',
                email: 'ap@agency.example',
                address: { line1: 'Oude Delft 9', city: 'Delft', zipCode: '2611 BE', country: 'NL' },
              },
            },
          },
        }}
      />
    </Page>
  );
}
