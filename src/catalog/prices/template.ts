import { DecimalNumber, FreeMap, Id, readDecimal, type Static, Strict, Timestamp, Type } from '../../http/index.ts';
import { type Decimal, ZERO } from '../../kernel/decimal.ts';
import type { FieldError } from '../../kernel/result.ts';
import { parseCadence } from '../../kernel/time.ts';
import type { FeatureType } from '../features/feature.ts';

/** The balance bounds of §2 Grant: whatever is above is no bound. */
const Rollover = Type.Optional(DecimalNumber({ minimum: '0', maximum: '999999999999' }));

const BooleanTemplate = Strict({ type: Type.Literal('boolean') });
const StaticTemplate = Strict({
  type: Type.Literal('static'),
  config: FreeMap(),
});
const MeteredTemplate = Strict({
  type: Type.Literal('metered'),
  usagePeriod: Type.Optional(
    Strict(
      {
        interval: Type.String({ maxLength: 20, description: 'ISO 8601, whole days, weeks, months or years' }),
        anchor: Type.Optional(Timestamp),
      },
      { description: 'Absent: one-time, never reset.' },
    ),
  ),
  isSoftLimit: Type.Optional(Type.Boolean()),
  issueAfterReset: Type.Optional(DecimalNumber({ exclusiveMinimum: '0' })),
  issueAfterResetPriority: Type.Optional(Type.Integer({ minimum: -32768, maximum: 32767 })),
  preserveOverageAtReset: Type.Optional(Type.Boolean()),
  resetMaxRollover: Rollover,
  resetMinRollover: Rollover,
  billableMetricIds: Type.Optional(Type.Array(Id('billableMetric'), { minItems: 1, maxItems: 100, uniqueItems: true })),
});

/** What a price's feature grants (api.md, Catalog). */
export type EntitlementTemplate =
  | Static<typeof BooleanTemplate>
  | Static<typeof StaticTemplate>
  | Static<typeof MeteredTemplate>;

/** The template of a price that sends none, which is enough for a boolean feature. */
export const BOOLEAN_BY_DEFAULT: EntitlementTemplate = { type: 'boolean' };

const when = (type: FeatureType, then: unknown) => ({
  if: { properties: { type: { const: type } }, required: ['type'] },
  then,
});

/** Validated by the form of its own type, so that a refusal names the field and not three forms that all do not fit. */
export const EntitlementTemplate = Type.Unsafe<EntitlementTemplate>({
  $id: 'EntitlementTemplate',
  type: 'object',
  required: ['type'],
  properties: { type: { type: 'string', enum: ['metered', 'static', 'boolean'] } },
  allOf: [when('boolean', BooleanTemplate), when('static', StaticTemplate), when('metered', MeteredTemplate)],
});

/** What the schema cannot say of a template; fields are paths inside it. */
export function checkTemplate(template: EntitlementTemplate, featureType: FeatureType): FieldError[] {
  const errors: FieldError[] = [];
  if (template.type !== featureType)
    errors.push({ field: 'type', message: `must be ${featureType}, as the feature is` });
  if (template.type !== 'metered') return errors;
  const interval = template.usagePeriod && parseCadence(template.usagePeriod.interval);
  if (template.usagePeriod && !(interval && interval.months + interval.days > 0))
    errors.push({
      field: 'usagePeriod.interval',
      message: 'must be an ISO 8601 duration of whole days, weeks, months or years',
    });
  if (rollover(template.resetMinRollover).gt(rollover(template.resetMaxRollover)))
    errors.push({ field: 'resetMinRollover', message: 'must not be above resetMaxRollover (0 where absent)' });
  return errors;
}

const rollover = (bound: number | undefined): Decimal => (bound === undefined ? ZERO : (readDecimal(bound) ?? ZERO));
