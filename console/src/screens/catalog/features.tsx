import { useNavigate, useParams } from '@tanstack/react-router';
import { useRead, useTagged } from '../../api/queries.ts';
import { usePlace } from '../../frame/places.ts';
import { Ref, To } from '../../frame/to.tsx';
import { Moment } from '../../look/figures.tsx';
import { cadenceWords, wordsOf } from '../../look/words.ts';
import { Deed } from '../../shape/deed.tsx';
import { List, Table } from '../../shape/list.tsx';
import { Facts, Page, Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';
import { templateWords } from './price-words.tsx';
import { useProductFilter } from './product-filter.ts';

const TYPES = ['metered', 'static', 'boolean'] as const;
const ABOUT = {
  metered: 'It has a balance of units, which usage takes away.',
  static: 'It is access with a configuration of your own.',
  boolean: 'It is access alone.',
};

/** Every feature of the merchant. */
export function Features() {
  const navigate = useNavigate();
  const place = usePlace();
  const product = useProductFilter();
  return (
    <Page
      title="Features"
      actions={
        <Deed
          label="New feature"
          operation="POST /v0/features"
          fields={['name', 'key', 'productId', 'type']}
          more={['metadata']}
          labels={{ productId: 'Product' }}
          isPrimary
          done={({ id }) => void navigate({ to: place(`/catalog/features/${id}`) })}
        />
      }
    >
      <List
        operation="GET /v0/features"
        file="features"
        rowKey={({ id }) => id}
        filters={[
          product,
          { name: 'type', label: 'Type', choices: TYPES.map((each) => [each, wordsOf(each)] as const) },
          { name: 'key', label: 'Key' },
        ]}
        columns={[
          { name: 'Name', cell: ({ id, name }) => <Ref id={id} name={name} />, value: ({ name }) => name },
          { name: 'Key', cell: ({ key }) => <code>{key}</code>, value: ({ key }) => key },
          { name: 'Type', cell: ({ type }) => wordsOf(type), value: ({ type }) => type },
          {
            name: 'Product',
            cell: ({ productId }) => <Ref id={productId} />,
            value: ({ productId }) => productId,
          },
          { name: 'Since', cell: ({ createdAt }) => <Moment at={createdAt} />, value: ({ createdAt }) => createdAt },
        ]}
        empty={{
          text: 'A feature is what a customer may use. Your program asks Reckoner whether a customer has it.',
          example: {
            method: 'POST',
            path: '/v0/features',
            body: { productId: 'prod_…', key: 'api-calls', name: 'API calls', type: 'metered' },
          },
        }}
      />
    </Page>
  );
}

/** One feature, and the plans that give it. */
export function FeaturePage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const navigate = useNavigate();
  const place = usePlace();
  const asked = useTagged('GET /v0/features/{id}', { path: { id } });
  return (
    <Part of={asked}>
      {({ value: feature, etag }) => (
        <Page
          up={{ path: '/catalog/features', name: 'Features' }}
          title={feature.name}
          about={<code>{id}</code>}
          actions={
            <>
              <Deed
                label="Edit"
                verb="Save"
                operation="PATCH /v0/features/{id}"
                path={{ id }}
                before={feature}
                etag={etag}
                fields={['name', 'key', 'productId']}
                more={['metadata']}
                labels={{ productId: 'Product' }}
              />
              <Deed
                label="Delete"
                verb="Delete the feature"
                operation="DELETE /v0/features/{id}"
                path={{ id }}
                facts={[['Feature', feature.name]]}
                effects={['A feature that a price or an entitlement uses stays.']}
                undo="This cannot be undone."
                isDangerous
                done={() => void navigate({ to: place('/catalog/features') })}
              />
            </>
          }
        >
          <Sheet title="Details">
            <Facts
              of={[
                ['Key', <code key="key">{feature.key}</code>],
                ['Type', `${wordsOf(feature.type)}. ${ABOUT[feature.type]}`],
                ['Product', <Ref key="product" id={feature.productId} />],
                ['Since', <Moment key="since" at={feature.createdAt} />],
                [
                  'Entitlements',
                  <To key="entitlements" path={`/entitlements?featureKey=${feature.key}`}>
                    Customers who have it
                  </To>,
                ],
              ]}
            />
          </Sheet>
          <Givers featureId={id} />
        </Page>
      )}
    </Part>
  );
}

/** The prices of plans that give the feature. */
function Givers({ featureId }: { readonly featureId: string }) {
  const asked = useRead('GET /v0/plans', { query: { limit: 100 } });
  return (
    <Sheet title="Plans that give it" flush>
      <Part of={asked}>
        {({ data }) => {
          const rows = data.flatMap((plan) =>
            plan.prices.flatMap((price) =>
              price.features.flatMap((each) => (each.featureId === featureId ? [{ plan, price, each }] : [])),
            ),
          );
          return rows.length === 0 ? (
            <p className="empty soft">No plan gives it. A price of a plan can have the feature.</p>
          ) : (
            <Table
              rows={rows}
              rowKey={({ each }) => each.id}
              columns={[
                { name: 'Plan', cell: ({ plan }) => <Ref id={plan.id} name={plan.name} /> },
                { name: 'Price', cell: ({ price }) => price.invoiceDisplayName },
                { name: 'How much', cell: ({ each }) => templateWords(each.entitlementTemplate) || 'Access' },
                { name: 'Billed', cell: ({ plan }) => cadenceWords(plan.billingCadence) },
              ]}
            />
          );
        }}
      </Part>
    </Sheet>
  );
}
