import { Link } from '@tanstack/react-router';
import { useMerchantInCalls } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { Moment } from '../look/figures.tsx';
import { Deed } from '../shape/deed.tsx';
import { Table } from '../shape/list.tsx';
import { Part } from '../shape/states.tsx';

/** Operators: the merchants of this installation, and a new one. */
export function Merchants() {
  useMerchantInCalls(null);
  const asked = useRead('GET /v0/organizations', { query: { type: 'merchant', limit: 100 } });
  return (
    <main className="main stack">
      <div className="page-head">
        <h1>Merchants</h1>
        <Deed
          label="New merchant"
          operation="POST /v0/organizations"
          isPrimary
          fields={['name', 'legalName', 'email', 'billingEmails', 'defaultCurrency', 'taxId', 'address.*']}
          fixed={{ type: 'merchant' }}
        />
      </div>
      <div className="sheet flush">
        <Part of={asked}>
          {({ data }) =>
            data.length === 0 ? (
              <div className="empty">A merchant sells to customers. Make the first one.</div>
            ) : (
              <Table
                rows={data}
                rowKey={({ id }) => id}
                columns={[
                  {
                    name: 'Name',
                    cell: ({ id, name }) => <Link to={`/${id}`}>{name}</Link>,
                    value: ({ name }) => name,
                  },
                  { name: 'E-mail', cell: ({ email }) => email ?? '—', value: ({ email }) => email },
                  {
                    name: 'Since',
                    cell: ({ createdAt }) => <Moment at={createdAt} />,
                    value: ({ createdAt }) => createdAt,
                  },
                ]}
              />
            )
          }
        </Part>
      </div>
    </main>
  );
}
