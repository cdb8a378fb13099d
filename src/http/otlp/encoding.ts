import type { MetricReading } from '../metrics/metrics.ts';
import { turn } from '../turns.ts';

/** The values of attributes: text, whole numbers. */
export type Attributes = Readonly<Record<string, string | number>>;

/** A span that has ended. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client';
  /** Nanoseconds since 1970. */
  readonly endedAt: bigint;
  readonly seconds: number;
  readonly attributes: Attributes;
  readonly isError: boolean;
}

const KINDS = { internal: 1, server: 2, client: 3 };
const CUMULATIVE = 2;
const ERROR = 2;

/** Attributes in the JSON of OTLP, where 64-bit numbers are text. */
const attributesOf = (attributes: Readonly<Record<string, string | number>>) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }));

const resourceOf = (attributes: Attributes) => ({ attributes: attributesOf(attributes) });

const SCOPE = { name: 'reckoner' };

const spanOf = ({ traceId, spanId, parentSpanId, name, kind, endedAt, seconds, attributes, isError }: Span) => ({
  traceId,
  spanId,
  ...(parentSpanId !== undefined && { parentSpanId }),
  name,
  kind: KINDS[kind],
  startTimeUnixNano: String(endedAt - BigInt(Math.round(seconds * 1e9))),
  endTimeUnixNano: String(endedAt),
  attributes: attributesOf(attributes),
  status: isError ? { code: ERROR } : {},
});

/** The body of `/v1/traces`. */
export const traceBody = (resource: Attributes, spans: readonly Span[]): string =>
  JSON.stringify({
    resourceSpans: [{ resource: resourceOf(resource), scopeSpans: [{ scope: SCOPE, spans: spans.map(spanOf) }] }],
  });

/** When a reading was made, and since when its counters count, in nanoseconds since 1970. */
interface Times {
  readonly startedAt: bigint;
  readonly readAt: bigint;
}

function metricOf({ name, entry, ...values }: MetricReading, more: Attributes, { startedAt, readAt }: Times) {
  const timed = (labels: Readonly<Record<string, string | number>>) => ({
    // the values of labels are text, as in Prometheus
    attributes: attributesOf(
      Object.fromEntries(Object.entries({ ...labels, ...more }).map(([label, value]) => [label, String(value)])),
    ),
    startTimeUnixNano: String(startedAt),
    timeUnixNano: String(readAt),
  });
  const head = { name, description: entry.help, unit: entry.unit };
  if (values.bounds) {
    const dataPoints = values.points.map(({ labels, counts, sum }) => ({
      ...timed(labels),
      count: String(counts.reduce((total, count) => total + count, 0)),
      sum,
      bucketCounts: counts.map(String),
      explicitBounds: values.bounds,
    }));
    return { ...head, histogram: { aggregationTemporality: CUMULATIVE, dataPoints } };
  }
  const dataPoints = values.points.map(({ labels, figure }) => ({ ...timed(labels), asDouble: figure }));
  if (entry.kind === 'gauge') return { ...head, gauge: { dataPoints } };
  return { ...head, sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints } };
}

/**
 * The body of `/v1/metrics`, made one metric at a turn of the event loop: there may be thousands of values.
 * @param more attributes of every value
 */
export async function metricsBody(
  resource: Attributes,
  readings: readonly MetricReading[],
  more: Attributes,
  times: Times,
): Promise<string> {
  const metrics: string[] = [];
  for (const each of readings.filter(({ points }) => points.length > 0)) {
    metrics.push(JSON.stringify(metricOf(each, more, times)));
    await turn();
  }
  const [head, scope] = [JSON.stringify(resourceOf(resource)), JSON.stringify(SCOPE)];
  return `{"resourceMetrics":[{"resource":${head},"scopeMetrics":[{"scope":${scope},"metrics":[${metrics.join()}]}]}]}`;
}
