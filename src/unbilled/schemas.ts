import {
  GroupOut,
  GroupsQuery,
  Id,
  Nullable,
  NumberOut,
  OneOf,
  type Static,
  Text,
  Timestamp,
  Type,
} from '../http/index.ts';
import { GROUPINGS, REASONS } from './unbilled.ts';

const quantity = Nullable(NumberOut);

const MetricAmount = Type.Object(
  { quantity, eventCount: Type.Integer() },
  {
    'x-fields': {
      quantity: 'The sum of the usage. Null: the figures of the metric do not add up.',
      eventCount: 'The number of events.',
    },
  },
);

export const UnbilledReply = Type.Object(
  {
    object: Type.Literal('unbilledUsage'),
    from: Timestamp,
    to: Timestamp,
    groupBy: Type.Array(OneOf(GROUPINGS)),
    groups: Type.Array(
      Type.Object(
        {
          reason: Nullable(OneOf(REASONS)),
          billableMetricId: Nullable(Id('billableMetric')),
          metricName: Nullable(Type.String()),
          eventType: Nullable(Type.String()),
          group: Nullable(
            Type.Unsafe<Record<string, string | null>>({
              ...GroupOut,
              description: 'The values of the dimensions without a price.',
            }),
          ),
          quantity: Type.Unsafe<number | null>({
            ...quantity,
            description: 'Null where the figures of the metric do not add up, or no metric counts the events.',
          }),
          eventCount: Type.Integer(),
          firstAt: Nullable(Timestamp),
          lastAt: Nullable(Timestamp),
          examples: Type.Array(Id('event')),
        },
        {
          'x-fields': {
            reason:
              'The reason for which the usage is not billed. The guide "Unbilled usage" explains each. Null: the ' +
              'groups are not by reason.',
            billableMetricId: 'The metric. Null: no metric counts the events, or the groups are not by metric.',
            metricName: 'The name of the metric. Null: there is none.',
            eventType: 'The type of the events. Null: they have several.',
            eventCount: 'The number of events.',
            firstAt: 'The time of the first event. Null: not known.',
            lastAt: 'The time of the last event. Null: not known.',
            examples: 'The ids of at most five events, the latest first.',
          },
        },
      ),
    ),
    metrics: Type.Array(
      Type.Object(
        {
          billableMetricId: Id('billableMetric'),
          metricName: Type.String(),
          counted: MetricAmount,
          priced: MetricAmount,
        },
        {
          'x-fields': {
            metricName: ['The name of the metric.', 'Storage'],
            counted: 'The usage that the metric counts.',
            priced: 'The billed part of it.',
          },
        },
      ),
    ),
    pagination: Type.Object({ limit: Type.Integer(), offset: Type.Integer(), total: Type.Integer() }),
  },
  {
    $id: 'UnbilledUsage',
    description: 'Unbilled usage, by reason.',
    'x-fields': {
      from: 'The start of the time of the report, inclusive.',
      to: 'The end of the time of the report, exclusive.',
      groupBy: 'The grouping of the report.',
      pagination: 'The place of the page in the whole list.',
      limit: 'The most groups in the answer.',
      offset: 'The number of groups before this page.',
      total: 'The number of all groups.',
      groups: 'The groups, those with the most events first.',
      metrics: 'The usage of each metric, and its billed part. The remainder is in the groups.',
    },
  },
);
export type UnbilledReply = Static<typeof UnbilledReply>;

const Words = Text({ minLength: 1, maxLength: 100 });

export const UnbilledQuery = GroupsQuery(
  {
    from: Timestamp,
    to: Timestamp,
    groupBy: Type.Optional(Type.Union([Words, Type.Array(Words)])),
    merchantId: Type.Optional(Id('organization')),
  },
  {
    limit: 50,
    fields: {
      from: 'The start of the time of the usage, inclusive.',
      to: 'The end of the time of the usage, exclusive.',
      groupBy: '`reason,metric` (default), `reason` or `metric`.',
    },
  },
);
export type UnbilledQuery = Static<typeof UnbilledQuery>;
