import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from '../../api/client.ts';
import { queryClient, useRead } from '../../api/queries.ts';
import type { Subscription, SubscriptionChangeReply } from '../../api/types.ts';
import { Ref } from '../../frame/to.tsx';
import { Moment } from '../../look/figures.tsx';
import { Deed } from '../../shape/deed.tsx';
import type { OwnInputProps } from '../../shape/form.tsx';
import { Facts } from '../../shape/page.tsx';
import { Failed, Loading } from '../../shape/states.tsx';
import { InvoiceLines } from './lines.tsx';
import { overridesInput, quantitiesInput } from './prices.tsx';

const OPERATION = 'POST /v0/subscriptions/{id}/changes';
const FIELDS = ['planId', 'versionNumber', 'quantities', 'effective'];
const MORE = ['priceOverrides', 'proration', 'credit'];
const INITIAL = { effective: 'now', proration: 'second', credit: 'invoice' };
const LABELS = {
  planId: 'New plan',
  versionNumber: 'Version of the plan',
  priceOverrides: 'Negotiated prices',
  effective: 'When',
  credit: 'Credit for unused time',
};

type Body = Readonly<Record<string, unknown>>;

const isSomething = ({ planId, versionNumber, quantities, priceOverrides }: Body): boolean =>
  Boolean(planId ?? versionNumber ?? quantities ?? priceOverrides);

/** The server's own preview of a change: the same operation with `dryRun`. */
const previewOf = (id: string, body: Body) => ({
  queryKey: ['change preview', id, body] as const,
  queryFn: () => call(OPERATION, { path: { id }, body: { ...body, dryRun: true } }),
  retry: false as const,
  staleTime: 'static' as const, // not asked anew when the change is made, but for each dialog
  gcTime: 0,
});

/** What a person has read in a preview: when it takes effect, and each line. */
const readIn = ({ change, invoicePreview }: SubscriptionChangeReply): string =>
  JSON.stringify([
    change.planVersionId,
    change.quantities,
    change.priceOverrides,
    change.effective,
    invoicePreview?.grandTotal,
    invoicePreview?.lineItems?.lineItems.map(({ invoiceDisplayName, quantity, totalAmount }) => [
      invoiceDisplayName,
      quantity,
      totalAmount,
    ]),
  ]);

/** Changes plan, version or quantities. What the server previews is done; where it has moved, it is shown once more. */
export function Change({ subscription }: { readonly subscription: Subscription }) {
  const { id, planId, planVersionNumber, quantities, priceOverrides } = subscription;
  const inputs = useMemo(() => {
    const known = { planId, versionNumber: planVersionNumber };
    return {
      versionNumber: versionInput(planId),
      quantities: quantitiesInput(known, quantities),
      priceOverrides: overridesInput(known),
    };
  }, [planId, planVersionNumber, quantities]);
  const before = useMemo(() => ({ priceOverrides }), [priceOverrides]);
  const check = async (body: Body): Promise<string | null> => {
    if (!isSomething(body)) return 'Choose another plan, version, quantity or price.';
    const asked = previewOf(id, body);
    const shown = queryClient.getQueryData<SubscriptionChangeReply>(asked.queryKey);
    const now = await queryClient.query({ ...asked, staleTime: 0 }).catch(() => null);
    if (!now) return 'The change cannot be made: see below.';
    return shown && readIn(shown) === readIn(now)
      ? null
      : 'The amounts have moved with the time. Look at them once more.';
  };
  return (
    <Deed
      label="Change plan, quantities or prices"
      verb="Make the change"
      operation={OPERATION}
      path={{ id }}
      facts={[
        ['Subscription', subscription.name],
        ['Customer', <Ref key="customer" id={subscription.customerId} />],
        [
          'Now',
          <span key="now">
            <Ref id={planId} /> version {planVersionNumber}
          </span>,
        ],
      ]}
      fields={FIELDS}
      more={MORE}
      before={before}
      initial={INITIAL}
      labels={LABELS}
      inputs={inputs}
      preview={(body) => <Preview id={id} body={body} />}
      check={check}
      isPrimary
    />
  );
}

function Preview({ id, body }: { readonly id: string; readonly body: Body }) {
  const { data, error, isFetching } = useQuery({ ...previewOf(id, body), enabled: isSomething(body) });
  if (!isSomething(body))
    return <p className="note">Choose another plan, version, quantity or price to see what it bills.</p>;
  if (error) return <Failed error={error} />;
  if (!data) return <Loading />;
  const { change, invoicePreview } = data;
  return (
    <section className="sheet flush" aria-label="What the change does" aria-busy={isFetching}>
      <header>
        <h2>What the change does</h2>
      </header>
      <div className="foot">
        <Facts
          of={[
            [
              'Then',
              <span key="then">
                <Ref id={change.planId} /> version {change.planVersionNumber}
              </span>,
            ],
            ['Takes effect', <Moment key="at" at={change.effectiveAt} />],
            ['Undone', change.status === 'scheduled' ? 'by cancelling it until then' : 'by another change'],
          ]}
        />
      </div>
      {invoicePreview ? (
        <>
          <h3 className="foot">The first invoice with the change</h3>
          <InvoiceLines invoice={invoicePreview} />
        </>
      ) : (
        <p className="foot soft">No invoice shows the change yet.</p>
      )}
    </section>
  );
}

/** Chooses a version of the chosen plan, else of the present one. */
function versionInput(presentPlanId: string) {
  return function Version({ field, label, value, change, error, body }: OwnInputProps) {
    const planId = (body.planId as string | undefined) ?? presentPlanId;
    const { data } = useRead('GET /v0/plans/{id}/versions', { path: { id: planId }, query: { limit: 100 } });
    const versions = data?.data.filter(({ status }) => status === 'published') ?? [];
    return (
      <Select
        label={label}
        description={field.about}
        error={error}
        clearable
        value={typeof value === 'string' ? value : null}
        onChange={(each) => change(each ?? undefined)}
        data={versions.map(({ versionNumber, isDefault }) => ({
          value: String(versionNumber),
          label: `Version ${versionNumber}${isDefault ? ' (default)' : ''}`,
        }))}
      />
    );
  };
}
