import { Id, ListQuery, Nullable, NumberOut, OneOf, type Static, Text, Timestamp, Type } from '../http/index.ts';
import { GROUPINGS, REASONS } from './unbilled.ts';

const quantity = Nullable(NumberOut);

const MetricAmount = Type.Object({ quantity, eventCount: Type.Integer() });

export const UnbilledReply = Type.Object(
  {
    object: Type.Literal('unbilledUsage'),
    from: Timestamp,
    to: Timestamp,
    groupBy: Type.Array(OneOf(GROUPINGS)),
    groups: Type.Array(
      Type.Object({
        reason: Nullable(OneOf(REASONS)),
        billableMetricId: Nullable(Id('billableMetric')),
        metricName: Nullable(Type.String()),
        eventType: Nullable(Type.String()),
        group: Nullable(
          Type.Unsafe<Record<string, string | null>>({
            type: 'object',
            description: 'The values of the dimensions that no price takes.',
          }),
        ),
        quantity: Type.Unsafe<number | null>({
          ...quantity,
          description: 'Null where the figures of the metric do not add up, or no metric counts the events.',
        }),
        eventCount: Type.Integer(),
        firstAt: Nullable(Timestamp),
        lastAt: Nullable(Timestamp),
        examples: Type.Array(Id('event'), { description: 'At most five, the latest first.' }),
      }),
    ),
    metrics: Type.Array(
      Type.Object({
        billableMetricId: Id('billableMetric'),
        metricName: Type.String(),
        counted: MetricAmount,
        priced: MetricAmount,
      }),
      { description: 'What each metric counts in all, and what a price takes of it. The rest is in the groups.' },
    ),
    pagination: Type.Object({ limit: Type.Integer(), offset: Type.Integer(), total: Type.Integer() }),
  },
  { $id: 'UnbilledUsage' },
);
export type UnbilledReply = Static<typeof UnbilledReply>;

const Words = Text({ minLength: 1, maxLength: 100 });

export const UnbilledQuery = ListQuery(
  {
    from: Timestamp,
    to: Timestamp,
    groupBy: Type.Optional(
      Type.Union([Words, Type.Array(Words)], { description: '`reason,metric` (default), `reason` or `metric`.' }),
    ),
    merchantId: Type.Optional(Id('organization')),
  },
  { limit: 50 },
);
export type UnbilledQuery = Static<typeof UnbilledQuery>;
