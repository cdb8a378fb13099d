import { useNavigate, useParams } from '@tanstack/react-router';
import { useTagged } from '../../api/queries.ts';
import { usePlace } from '../../frame/places.ts';
import { Ref, To } from '../../frame/to.tsx';
import { Moment } from '../../look/figures.tsx';
import { wordsOf } from '../../look/words.ts';
import { Deed } from '../../shape/deed.tsx';
import { List } from '../../shape/list.tsx';
import { Page, Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';
import { METRIC_COLUMNS } from './metrics.tsx';
import { PLAN_COLUMNS } from './plans.tsx';

const FIELDS = ['name', 'description'];
export const FEE_FIELDS = ['name', 'description'];

/** Every product of the merchant. */
export function Products() {
  const navigate = useNavigate();
  const place = usePlace();
  return (
    <Page
      title="Products"
      actions={
        <Deed
          label="New product"
          operation="POST /v0/products"
          fields={FIELDS}
          more={['metadata']}
          isPrimary
          done={({ id }) => void navigate({ to: place(`/catalog/products/${id}`) })}
        />
      }
    >
      <List
        operation="GET /v0/products"
        file="products"
        rowKey={({ id }) => id}
        columns={[
          { name: 'Name', cell: ({ id, name }) => <Ref id={id} name={name} />, value: ({ name }) => name },
          { name: 'Description', cell: ({ description }) => description || '—', value: (row) => row.description },
          { name: 'Since', cell: ({ createdAt }) => <Moment at={createdAt} />, value: ({ createdAt }) => createdAt },
        ]}
        empty={{
          text: 'A product is what you sell. Its plans, metrics, fees and features belong to it.',
          example: {
            method: 'POST',
            path: '/v0/products',
            body: { name: 'Messaging', description: 'Messages by API' },
          },
        }}
      />
    </Page>
  );
}

/** One product with all that belongs to it. */
export function ProductPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const asked = useTagged('GET /v0/products/{id}', { path: { id } });
  return (
    <Part of={asked}>
      {({ value: product, etag }) => (
        <Page
          up={{ path: '/catalog/products', name: 'Products' }}
          title={product.name}
          about={
            <>
              {product.description} <code>{id}</code>
            </>
          }
          actions={
            <Deed
              label="Edit"
              verb="Save"
              operation="PATCH /v0/products/{id}"
              path={{ id }}
              before={product}
              etag={etag}
              fields={FIELDS}
              more={['metadata']}
            />
          }
        >
          <Sheet title="Plans" flush actions={<To path={`/catalog/plans?productId=${id}`}>All plans of it</To>}>
            <List
              operation="GET /v0/plans"
              fixed={{ productId: id }}
              file={`plans-${id}`}
              rowKey={(row) => row.id}
              columns={[PLAN_COLUMNS.name, PLAN_COLUMNS.cadence, PLAN_COLUMNS.prices, PLAN_COLUMNS.since]}
              empty={{ text: 'No plan yet. A plan has the prices that customers subscribe to.' }}
              isPart
            />
          </Sheet>
          <Sheet title="Metrics" flush>
            <List
              operation="GET /v0/billableMetrics"
              fixed={{ productId: id }}
              file={`metrics-${id}`}
              rowKey={(row) => row.id}
              columns={[METRIC_COLUMNS.name, METRIC_COLUMNS.counts, METRIC_COLUMNS.unit]}
              empty={{ text: 'No metric yet. A metric counts usage events.' }}
              isPart
            />
          </Sheet>
          <Fees productId={id} />
          <Sheet title="Features" flush>
            <List
              operation="GET /v0/features"
              fixed={{ productId: id }}
              file={`features-${id}`}
              rowKey={(row) => row.id}
              columns={[
                { name: 'Name', cell: (row) => <Ref id={row.id} name={row.name} />, value: ({ name }) => name },
                { name: 'Key', cell: ({ key }) => <code>{key}</code>, value: ({ key }) => key },
                { name: 'Type', cell: ({ type }) => wordsOf(type), value: ({ type }) => type },
              ]}
              empty={{ text: 'No feature yet. A price can give a feature to the customer.' }}
              isPart
            />
          </Sheet>
        </Page>
      )}
    </Part>
  );
}

/** The fees of a product: fixed charges, whose prices say how much and how often. */
function Fees({ productId }: { readonly productId: string }) {
  return (
    <Sheet
      title="Fees"
      flush
      actions={<Deed label="New fee" operation="POST /v0/fees" fields={FEE_FIELDS} fixed={{ productId }} />}
    >
      <List
        operation="GET /v0/fees"
        fixed={{ productId }}
        file={`fees-${productId}`}
        rowKey={({ id }) => id}
        columns={[
          { name: 'Name', cell: ({ name }) => name, value: ({ name }) => name },
          { name: 'Description', cell: ({ description }) => description || '—', value: (row) => row.description },
          {
            name: 'Actions',
            cell: (fee) => (
              <span className="row">
                <Deed
                  label="Edit"
                  verb="Save"
                  operation="PATCH /v0/fees/{id}"
                  path={{ id: fee.id }}
                  before={fee}
                  fields={FEE_FIELDS}
                />
                <Deed
                  label="Delete"
                  verb="Delete the fee"
                  operation="DELETE /v0/fees/{id}"
                  path={{ id: fee.id }}
                  facts={[['Fee', fee.name]]}
                  effects={['A fee with prices stays.']}
                  undo="This cannot be undone."
                  isDangerous
                />
              </span>
            ),
          },
        ]}
        empty={{ text: 'No fee yet. A fee is a fixed charge, such as a monthly amount for a seat.' }}
        isPart
      />
    </Sheet>
  );
}
