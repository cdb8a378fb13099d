import { Button } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/errors.ts';
import { useDeed, useRead, useTagged } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import type { BillableMetric, Fee, Plan, Price } from '../../api/types.ts';
import { usePlace } from '../../frame/places.ts';
import { wordsOf } from '../../look/words.ts';
import { Deed } from '../../shape/deed.tsx';
import { Page, Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';
import { METRIC_FIELDS, METRIC_LABELS, METRIC_MORE } from './metrics.tsx';
import { PriceCurve } from './price-curve.tsx';
import { bodyOf, type Draft, draftOf, propertiesOf } from './price-draft.ts';
import { type FieldsProps, ModelChoice, PropertiesFields } from './price-fields.tsx';
import { type Phrases, phrasesOf, type SpokenPrice } from './price-phrases.ts';
import { Entitlement, Limits, Subject } from './price-sections.tsx';
import { Words } from './price-words.tsx';
import { FEE_FIELDS } from './products.tsx';
import type { Terms } from './rated.ts';
import { type ChangesSearch, changesOf, searchOf, withPrice } from './version-changes.ts';

interface EditorSearch extends ChangesSearch {
  /** The price of the default version that the new one stands for. */
  readonly replaces?: string;
  /** A saved price that no version has yet: it is changed itself. */
  readonly edit?: string;
}

/** Makes a price for the next version of a plan. */
export function PriceEditor() {
  const { id } = useParams({ strict: false }) as { id: string };
  const search = useSearch({ strict: false }) as EditorSearch;
  const plan = useRead('GET /v0/plans/{id}', { path: { id } });
  const productId = plan.data?.productId;
  const start = search.edit ?? search.replaces;
  const options = { enabled: productId !== undefined };
  const query = { ...(productId && { productId }), limit: 100 };
  const metrics = useRead('GET /v0/billableMetrics', { query }, options);
  const fees = useRead('GET /v0/fees', { query }, options);
  const price = useTagged('GET /v0/prices/{id}', { path: { id: start ?? '' } }, { enabled: start !== undefined });
  const isThere = plan.data && metrics.data && fees.data && (!start || price.data);
  const all = {
    data: isThere && {
      plan: plan.data,
      metrics: metrics.data.data,
      fees: fees.data.data,
      price: price.data?.value,
      etag: price.data?.etag,
    },
    error: plan.error ?? metrics.error ?? fees.error ?? price.error,
    refetch: () => void Promise.all([plan.refetch(), metrics.refetch(), fees.refetch()]),
  };
  return <Part of={all}>{(value) => <Editor {...value} search={search} />}</Part>;
}

interface EditorProps {
  readonly plan: Plan;
  readonly metrics: readonly BillableMetric[];
  readonly fees: readonly Fee[];
  readonly price: Price | undefined;
  readonly etag: string | undefined;
  readonly search: EditorSearch;
}

function Editor({ plan, metrics, fees, price, etag, search }: EditorProps) {
  const isChange = search.edit !== undefined;
  const [draft, setDraft] = useState<Draft>(() => draftOf(price));
  const [problem, setProblem] = useState<string | null>(null);
  const may = useMay('member');
  const navigate = useNavigate();
  const place = usePlace();
  const create = useDeed('POST /v0/prices');
  const update = useDeed('PATCH /v0/prices/{id}');
  const features = useRead('GET /v0/features', { query: { productId: plan.productId, limit: 100 } });
  const { error, isPending } = isChange ? update : create;
  const failures = error instanceof ApiError ? error.fields : [];
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error) box.current?.querySelector<HTMLElement>('[aria-invalid="true"], [role="alert"]')?.focus();
  }, [error]);
  const errorOf = (path: string): string | undefined => {
    const found = failures.find(({ field }) => field === path || field.startsWith(`${path}.`));
    return found && wordsOf(found.message);
  };
  const fields: FieldsProps = { draft, set, errorOf };
  const metric = metrics.find(({ id }) => id === draft.billableMetricId);
  const unit = draft.subject === 'fee' ? 'unit' : metric?.unit || 'unit';
  const featureType = features.data?.data.find(({ id }) => id === draft.featureId)?.type;
  const toVersion = (priceId: string) => {
    const changes = changesOf(search);
    const kept = isChange ? changes : withPrice(changes, priceId, search.replaces);
    return navigate({ to: place(`/catalog/plans/${plan.id}/new-version`), search: searchOf(kept) as never });
  };
  const save = async (event: SyntheticEvent) => {
    event.preventDefault();
    setProblem(null);
    try {
      const body = bodyOf(draft, featureType, isChange) as never;
      const saved = isChange
        ? await update.mutateAsync({ path: { id: search.edit as string }, body, ifMatch: etag })
        : await create.mutateAsync({ body });
      await toVersion(saved.id);
    } catch (wrong) {
      if (wrong instanceof SyntaxError) setProblem(`The configuration is not JSON: ${wrong.message}`);
    }
  };
  const form = (
    <form className="stack" onSubmit={(event) => void save(event)} noValidate>
      <Subject {...fields} metrics={metrics} fees={fees} isFixed={price !== undefined} />
      <Sheet title="How it is calculated">
        <div className="stack">
          <ModelChoice {...fields} metric={metric} />
          <PropertiesFields {...fields} currency={plan.currency} unit={unit} metric={metric} />
        </div>
      </Sheet>
      <Limits {...fields} currency={plan.currency} metric={metric} cadence={plan.billingCadence} />
      <Entitlement {...fields} type={featureType} metrics={metrics} />
    </form>
  );
  const others = failures.filter(({ field }) => !HAS_FIELD.test(field));
  return (
    <Page
      up={{ path: `/catalog/plans/${plan.id}`, name: plan.name }}
      title={isChange ? 'Change the price' : price ? `New price for ${price.invoiceDisplayName}` : 'New price'}
      about="A price is saved first. Customers pay it once a published version of the plan has it."
      actions={<NewSubject productId={plan.productId} set={set} />}
    >
      <div className="stack" ref={box}>
        {(error || problem !== null) && (
          <div className="note bad stack tight" role="alert" tabIndex={-1}>
            <span>{problem ?? (failures.length > 0 ? 'Some fields need another look.' : error?.message)}</span>
            {others.map(({ field, message }) => (
              <span key={field}>
                {wordsOf(field)}: {message}
              </span>
            ))}
          </div>
        )}
        <div className="columns even">
          {form}
          <div className="stack stay">
            <Spoken draft={draft} plan={plan} unit={unit} />
            <PriceCurve
              terms={termsOf(draft, plan.currency)}
              before={price && !isChange ? termsOf(draftOf(price), plan.currency) : undefined}
              unit={unit}
            />
          </div>
        </div>
        <div className="row">
          <Button onClick={(event) => void save(event)} loading={isPending} disabled={!may}>
            {isChange ? 'Save the price' : 'Save, and go on to the version'}
          </Button>
        </div>
      </div>
    </Page>
  );
}

/** What was refused is told at its field; the rest above all fields. */
const HAS_FIELD =
  /^(billableMetricId|feeId|invoiceDisplayName|billingCadence|paymentTerm|quantity|m(in|ax)imumAmount|taxRate)$|^(grantDiscount|groupFilters\.|feature\.|properties\.(?!(tiers|cells)$))/;

const termsOf = (draft: Draft, currency: string): Terms => ({
  model: draft.model,
  properties: propertiesOf(draft),
  currency,
  isFee: draft.subject === 'fee',
  minimumAmount: draft.minimumAmount.trim(),
  maximumAmount: draft.maximumAmount.trim(),
});

/** The price in words, while it is typed. */
function Spoken({ draft, plan, unit }: { readonly draft: Draft; readonly plan: Plan; readonly unit: string }) {
  let phrases: Phrases | null = null;
  try {
    const spoken = { ...bodyOf(draft, undefined, false), quantity: draft.quantity, properties: propertiesOf(draft) };
    phrases = phrasesOf(spoken as unknown as SpokenPrice, {
      currency: plan.currency,
      cadence: plan.billingCadence,
      unit,
    });
  } catch {
    // not yet whole
  }
  return (
    <div className="note stack tight">{phrases ? <Words of={phrases} /> : 'The price in words appears here.'}</div>
  );
}

function NewSubject({ productId, set }: { readonly productId: string; readonly set: FieldsProps['set'] }) {
  return (
    <>
      <Deed
        label="New metric"
        operation="POST /v0/billableMetrics"
        fields={METRIC_FIELDS.filter((each) => each !== 'productId')}
        more={METRIC_MORE}
        labels={METRIC_LABELS}
        fixed={{ productId }}
        done={({ id }) => set({ subject: 'metric', billableMetricId: id })}
      />
      <Deed
        label="New fee"
        operation="POST /v0/fees"
        fields={FEE_FIELDS}
        fixed={{ productId }}
        done={({ id }) => set({ subject: 'fee', feeId: id })}
      />
    </>
  );
}
