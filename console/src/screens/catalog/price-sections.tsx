import { Checkbox, MultiSelect, Select, TagsInput, Textarea } from '@mantine/core';
import type { BillableMetric, Fee } from '../../api/types.ts';
import { Sheet } from '../../shape/page.tsx';
import { FeaturePicker } from '../../shape/picker.tsx';
import type { Draft, FeatureType } from './price-draft.ts';
import { type FieldsProps, Pair, Text } from './price-fields.tsx';

interface SubjectProps extends FieldsProps {
  readonly metrics: readonly BillableMetric[];
  readonly fees: readonly Fee[];
  readonly isFixed: boolean;
}

/** What the price is for: a metric, or a fee. */
export function Subject({ metrics, fees, isFixed, ...fields }: SubjectProps) {
  const { draft, set, errorOf } = fields;
  const chosen = draft.subject === 'fee' ? draft.feeId : draft.billableMetricId;
  const choose = (id: string | null) => {
    const found = [...metrics, ...fees].find((each) => each.id === id);
    if (!found) return;
    const isFee = found.object === 'fee';
    set({
      ...(isFee
        ? { subject: 'fee', feeId: found.id, billingCadence: draft.billingCadence || 'P1M' }
        : { subject: 'metric', billableMetricId: found.id }),
      ...(draft.invoiceDisplayName === '' && { invoiceDisplayName: found.name }),
    });
  };
  return (
    <Sheet title="What it is for">
      <Pair>
        <Select
          label="Metric or fee"
          description="Usage that is measured, or a fixed charge."
          withAsterisk
          searchable
          disabled={isFixed}
          data={[
            { group: 'Metrics', items: metrics.map(({ id, name }) => ({ value: id, label: name })) },
            { group: 'Fees', items: fees.map(({ id, name }) => ({ value: id, label: name })) },
          ]}
          value={chosen || null}
          onChange={choose}
          error={errorOf('billableMetricId') ?? errorOf('feeId')}
          nothingFoundMessage="Nothing found"
        />
        <Text
          {...fields}
          name="invoiceDisplayName"
          label="Name on the invoice"
          about="The text of its line."
          isRequired
          isFigure={false}
        />
      </Pair>
    </Sheet>
  );
}

interface LimitsProps extends FieldsProps {
  readonly currency: string;
  readonly metric: BillableMetric | undefined;
  readonly cadence: string;
}

/** When it is billed, its bounds, and the usage that counts. */
export function Limits({ currency, metric, cadence, ...fields }: LimitsProps) {
  const { draft, set, errorOf } = fields;
  const isFee = draft.subject === 'fee';
  return (
    <Sheet title="When, and how much at most">
      <div className="stack">
        <Pair>
          <Text
            {...fields}
            name="billingCadence"
            label="How often"
            about={isFee ? 'P1M is monthly, P1Y yearly, P0D once.' : `P1M is monthly. Empty: as the plan (${cadence}).`}
            isRequired={isFee}
            isFigure={false}
          />
          {isFee && (
            <>
              <Select
                label="Billed"
                data={[
                  { value: 'in_advance', label: 'In advance' },
                  { value: 'in_arrears', label: 'After the period' },
                ]}
                value={draft.paymentTerm}
                onChange={(value) => value && set({ paymentTerm: value as Draft['paymentTerm'] })}
                error={errorOf('paymentTerm')}
              />
              <Text {...fields} name="quantity" label="Units" about="A subscription may have another number." />
            </>
          )}
          <Text {...fields} name="minimumAmount" label={`At least in each period (${currency})`} />
          <Text {...fields} name="maximumAmount" label={`At most in each period (${currency})`} />
          <Text
            {...fields}
            name="taxRate"
            label="Tax rate in percent"
            about="Empty: of the metric, plan or merchant."
          />
        </Pair>
        {!isFee &&
          Object.keys(metric?.groupBy ?? {}).map((name) => (
            <TagsInput
              key={name}
              label={`Only usage where ${name} is`}
              description="Empty: all usage counts."
              value={[...(draft.groupFilters[name] ?? [])]}
              onChange={(values) => {
                const { [name]: _before, ...others } = draft.groupFilters;
                set({ groupFilters: values.length > 0 ? { ...others, [name]: values } : others });
              }}
              error={errorOf(`groupFilters.${name}`)}
            />
          ))}
        {!isFee && (
          <Checkbox
            label="Units that credits cover are free"
            checked={draft.grantDiscountEnabled}
            onChange={({ target }) => set({ grantDiscountEnabled: target.checked })}
            error={errorOf('grantDiscountEnabled')}
          />
        )}
      </div>
    </Sheet>
  );
}

const TEMPLATE = 'feature.entitlementTemplate';

interface EntitlementProps extends FieldsProps {
  readonly type: FeatureType | undefined;
  readonly metrics: readonly BillableMetric[];
}

/** The feature that a subscription gets with the price, and how much of it. */
export function Entitlement({ type, metrics, ...fields }: EntitlementProps) {
  const { draft, set, errorOf } = fields;
  return (
    <Sheet title="What it gives">
      <div className="stack">
        <FeaturePicker
          label="Feature"
          description="Each subscription gets an entitlement to it. Empty: none."
          value={draft.featureId || null}
          onChange={(id) => set({ featureId: id ?? '' })}
          error={errorOf('feature.featureId')}
        />
        {type === 'metered' && (
          <>
            <Pair>
              <Text
                {...fields}
                name="issueAfterReset"
                path={`${TEMPLATE}.issueAfterReset`}
                label="Units at the start and after each reset"
              />
              <Text
                {...fields}
                name="interval"
                path={`${TEMPLATE}.usagePeriod`}
                label="Reset"
                about="P1M is monthly. Empty: never."
                isFigure={false}
              />
              <Text
                {...fields}
                name="resetMaxRollover"
                path={`${TEMPLATE}.resetMaxRollover`}
                label="Units carried over at most"
              />
            </Pair>
            <Checkbox
              label="Access also beyond the units"
              checked={draft.isSoftLimit}
              onChange={({ target }) => set({ isSoftLimit: target.checked })}
            />
            <MultiSelect
              label="Usage that takes units away"
              description="Metrics. Empty: those of the prices with the feature."
              data={metrics.map(({ id, name }) => ({ value: id, label: name }))}
              value={[...draft.metricIds]}
              onChange={(metricIds) => set({ metricIds })}
              error={errorOf(`${TEMPLATE}.billableMetricIds`)}
            />
          </>
        )}
        {type === 'static' && (
          <Textarea
            className="code"
            label="Configuration (JSON)"
            value={draft.config}
            onChange={({ target }) => set({ config: target.value })}
            error={errorOf(`${TEMPLATE}.config`)}
          />
        )}
      </div>
    </Sheet>
  );
}
