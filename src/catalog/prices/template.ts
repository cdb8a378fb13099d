import {
  canonicalJson,
  DecimalNumber,
  type FieldWords,
  FreeMap,
  Id,
  type Static,
  Strict,
  Text,
  Type,
} from '../../http/index.ts';
import { type CheckedDecimal, type Decimal, decimalOrNull, ZERO } from '../../kernel/decimal.ts';
import type { FieldError } from '../../kernel/result.ts';
import { parseCadence, parseInstant } from '../../kernel/time.ts';
import type { FeatureType } from '../features/feature.ts';

/** The balance bounds of §2 Grant: a larger value is no bound. */
const Rollover = Type.Optional(DecimalNumber({ minimum: '0', maximum: '999999999999' }));

const TEMPLATE_FIELDS: FieldWords = {
  type: 'The type of the feature: `boolean`, `static` or `metered`.',
  config: ['The configuration of a static feature. Reads of the entitlement answer it as it is.', { seats: 5 }],
  usagePeriod:
    'The period after which usage and balance are reset. Absent: the entitlement is never reset automatically.',
  interval: ['The length of a usage period: an ISO 8601 duration of whole days, weeks, months or years.', 'P1M'],
  anchor:
    'From where usage periods are counted. `billing`: they begin with the billing periods of the price; the end of a ' +
    'trial begins a new one. `start`: the beginning of the entitlement. Or a time. Default: `billing` in a price, ' +
    '`start` by hand.',
  isSoftLimit: '`true`: there is access at a balance of 0 too. Default: `false`.',
  issueAfterReset: ['The units that are granted at the start and after each reset. Absent: none.', 1000],
  issueAfterResetPriority: ['The priority of these grants. The lowest is used first. Default: -1.', -1],
  preserveOverageAtReset: '`true`: usage beyond the balance is taken from the next period. Default: `false`.',
  resetMaxRollover: ['The units of these grants that a reset carries over at most. Default: 0.', 0],
  resetMinRollover: ['The units of these grants that there are after a reset at least. Default: 0.', 0],
  billableMetricIds:
    'The measured metrics; their usage is added up. Of `SUM`, `COUNT`, `UNIQUE_COUNT`, `MAX`, `LATEST`, or ' +
    '`TIME_WEIGHTED` in hours or days, which uses the balance up while time passes. Default: the metrics of the prices ' +
    'with this feature.',
};

const BooleanTemplate = Strict(
  { type: Type.Literal('boolean') },
  { $id: 'BooleanTemplate', description: 'A right to a feature, without more.', 'x-fields': TEMPLATE_FIELDS },
);
const StaticTemplate = Strict(
  { type: Type.Literal('static'), config: FreeMap() },
  {
    $id: 'StaticTemplate',
    description: 'A right to a feature with a configuration of your own.',
    'x-fields': TEMPLATE_FIELDS,
  },
);
const MeteredTemplate = Strict(
  {
    type: Type.Literal('metered'),
    usagePeriod: Type.Optional(
      Strict({
        interval: Type.String({ maxLength: 20 }),
        anchor: Type.Optional(Text({ maxLength: 40 })),
      }),
    ),
    isSoftLimit: Type.Optional(Type.Boolean()),
    issueAfterReset: Type.Optional(DecimalNumber({ exclusiveMinimum: '0' })),
    issueAfterResetPriority: Type.Optional(Type.Integer({ minimum: -32768, maximum: 32767 })),
    preserveOverageAtReset: Type.Optional(Type.Boolean()),
    resetMaxRollover: Rollover,
    resetMinRollover: Rollover,
    billableMetricIds: Type.Optional(
      Type.Array(Id('billableMetric'), { minItems: 1, maxItems: 100, uniqueItems: true }),
    ),
  },
  {
    $id: 'MeteredTemplate',
    description: 'A right to a number of units of a feature in each usage period.',
    'x-fields': TEMPLATE_FIELDS,
  },
);

/** The grant of a price's feature (api.md, Catalog). */
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
  description: 'How much of a feature a customer gets. `type` decides the other fields.',
  'x-fields': TEMPLATE_FIELDS,
  type: 'object',
  required: ['type'],
  properties: { type: { type: 'string', enum: ['metered', 'static', 'boolean'] } },
  allOf: [when('boolean', BooleanTemplate), when('static', StaticTemplate), when('metered', MeteredTemplate)],
});

const WORDS_OF_ANCHORS: readonly string[] = ['billing', 'start'];

/** The priority of issued grants: what a reset throws away is used before what was bought (domain.md §5). */
const ISSUED_FIRST = -1;

/**
 * A template as it is stored, with the defaults of today; one that was stored before without them means `start` and 0.
 * @param anchor the default of its usage periods
 */
export function withDefaults(template: EntitlementTemplate, anchor: 'billing' | 'start'): EntitlementTemplate {
  if (template.type !== 'metered') return template;
  const { usagePeriod, issueAfterReset, issueAfterResetPriority = ISSUED_FIRST } = template;
  return {
    ...template,
    ...(usagePeriod && { usagePeriod: { anchor, ...usagePeriod } }),
    ...(issueAfterReset !== undefined && { issueAfterResetPriority }),
  };
}

/** A text that is equal for templates that mean the same, whenever they were stored. */
export function meaningOf(template: EntitlementTemplate): string {
  if (template.type !== 'metered') return canonicalJson(template);
  const { usagePeriod, issueAfterResetPriority = 0 } = template;
  return canonicalJson({
    ...template,
    issueAfterResetPriority,
    ...(usagePeriod && { usagePeriod: { anchor: 'start', ...usagePeriod } }),
  });
}

/** Checks the rules of a template that the schema cannot express; fields are paths inside it. */
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
  const { anchor } = template.usagePeriod ?? {};
  if (anchor !== undefined && !WORDS_OF_ANCHORS.includes(anchor) && parseInstant(anchor) === null)
    errors.push({
      field: 'usagePeriod.anchor',
      message: 'must be billing, start, or an RFC 3339 date-time with an offset, such as 2026-01-31T00:00:00Z',
    });
  if (rollover(template.resetMinRollover).gt(rollover(template.resetMaxRollover)))
    errors.push({ field: 'resetMinRollover', message: 'must not be above resetMaxRollover (0 where absent)' });
  return errors;
}

const rollover = (bound: CheckedDecimal | undefined): Decimal => decimalOrNull(bound) ?? ZERO;
