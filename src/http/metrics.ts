import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { AggregationTemporality, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import type { Database } from '../db/index.ts';
import { turn } from './turns.ts';

/** Collects the meters on request; the route /metrics asks, so it has no port. */
class PullReader extends MetricReader {
  constructor() {
    super({ aggregationTemporalitySelector: () => AggregationTemporality.CUMULATIVE });
  }
  protected override async onForceFlush(): Promise<void> {
    // Nothing is held back: what is asked for is collected at that moment.
  }
  protected override async onShutdown(): Promise<void> {
    // Nothing was opened.
  }
}

/** One step of a background job, from the runner. */
export interface StepMeasure {
  readonly kind: string;
  readonly outcome: 'done' | 'failed' | 'parked';
  readonly seconds: number;
}

/** Events that are being read or stored. */
export interface IngestMeasure {
  /** The occupied part of the capacity. */
  readonly held: number;
  readonly requests: number;
  /** How long the oldest has been waiting; 0 where none is. */
  readonly oldestSeconds: number;
}

export interface MetricsOptions {
  readonly database: Database;
  /** Records whose step was given up, by kind. */
  readonly countParked: () => Promise<readonly { kind: string; parked: number }[]>;
  /** Unbilled events of the last finished day, by reason. */
  readonly countUnbilled?: () => Promise<readonly { reason: string; events: number }[]>;
  /** Webhooks that wait, and endpoints that fail or were disabled for it. */
  readonly countWebhooks?: () => Promise<{ pending: number; failing: number; disabled: number }>;
  /** Payments that need a person, by kind and status. */
  readonly countExceptions?: () => Promise<readonly { kind: string; status: string; exceptions: number }[]>;
  /** How long ago the oldest event was accepted that alerts have not looked at, in seconds. */
  readonly alertsLate?: () => Promise<number>;
  readonly ingest?: () => IngestMeasure;
  /** Requests in work, waiting, and refused since the start (slots.ts). */
  readonly slots?: () => { readonly working: number; readonly waiting: number; readonly refused: number };
  /** Milliseconds of a clock that only goes forward. */
  readonly clock?: () => number;
}

const PATIENCE_MILLISECONDS = 500; // with a database that does not answer: the other figures are wanted then above all

/** Many who ask at once share one text. */
const KEPT_MILLISECONDS = 1_000;
const DURATION_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];
const NANOSECONDS = 1e9;
const RESOLUTION_MILLISECONDS = 20; // the time between two looks; what is measured is this and the delay on top of it

/** The measurements of this process, for Prometheus. Nothing in it names a merchant. */
export class Metrics {
  readonly #reader = new PullReader();
  readonly #provider = new MeterProvider({ readers: [this.#reader] });
  readonly #serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MILLISECONDS });
  readonly #clock: () => number;
  #kept: { readonly at: number; readonly text: Promise<string> } | undefined;
  readonly #requests;
  readonly #requestSeconds;
  readonly #steps;
  readonly #stepSeconds;
  readonly #webhooks;
  readonly #webhookSeconds;

  constructor(options: MetricsOptions) {
    this.#clock = options.clock ?? (() => performance.now());
    const { database, countParked, countUnbilled, countWebhooks, countExceptions, alertsLate, ingest, slots } = options;
    const meter = this.#provider.getMeter('reckoner');
    const buckets = { advice: { explicitBucketBoundaries: DURATION_SECONDS } };
    this.#requests = meter.createCounter('reckoner_http_requests', { description: 'Requests answered.' });
    this.#requestSeconds = meter.createHistogram('reckoner_http_request_duration_seconds', {
      description: 'Seconds from the first byte of a request to the last of its answer.',
      ...buckets,
    });
    this.#steps = meter.createCounter('reckoner_due_steps', {
      description: 'Steps of due work by what became of them: done, failed (tried again), parked (given up).',
    });
    this.#stepSeconds = meter.createHistogram('reckoner_due_step_duration_seconds', {
      description: 'Seconds that a step of due work took.',
      ...buckets,
    });
    this.#webhooks = meter.createCounter('reckoner_webhook_attempts', {
      description: 'Attempts to deliver webhooks by what came of them: delivered, failed.',
    });
    this.#webhookSeconds = meter.createHistogram('reckoner_webhook_attempt_duration_seconds', {
      description: 'Seconds that an attempt to deliver a webhook took.',
      ...buckets,
    });
    meter
      .createObservableGauge('reckoner_due_parked', {
        description: 'Records whose step was given up; a person has to look.',
      })
      .addCallback(
        observeBy(async () => (await countParked()).map(({ kind, parked }) => ({ labels: { kind }, figure: parked }))),
      );
    if (countUnbilled)
      meter
        .createObservableGauge('reckoner_usage_unbilled_events', {
          description: 'Events of the last finished day that nobody pays for, of all merchants.',
        })
        .addCallback(
          observeBy(async () =>
            (await countUnbilled()).map(({ reason, events }) => ({ labels: { reason }, figure: events })),
          ),
        );
    if (countWebhooks) {
      const waiting = meter.createObservableGauge('reckoner_webhook_deliveries_pending', {
        description: 'Webhooks that wait for an attempt.',
      });
      const endpoints = meter.createObservableGauge('reckoner_webhook_endpoints', {
        description: 'Webhook endpoints that fail, and that were disabled for it.',
      });
      meter.addBatchObservableCallback(
        async (result) => {
          for (const { pending, failing, disabled } of await patiently(async () => [await countWebhooks()])) {
            result.observe(waiting, pending);
            result.observe(endpoints, failing, { state: 'failing' });
            result.observe(endpoints, disabled, { state: 'disabled' });
          }
        },
        [waiting, endpoints],
      );
    }
    if (countExceptions)
      meter
        .createObservableGauge('reckoner_payment_exceptions', {
          description: 'Payments at providers that need a person, of all merchants (GET /v0/paymentExceptions).',
        })
        .addCallback(
          observeBy(async () =>
            (await countExceptions()).map(({ kind, status, exceptions }) => ({
              labels: { kind, status },
              figure: exceptions,
            })),
          ),
        );
    if (alertsLate)
      meter
        .createObservableGauge('reckoner_alerts_late_seconds', {
          description: 'Seconds since the oldest event was accepted that alerts have not looked at.',
        })
        .addCallback(async (result) => {
          for (const late of await patiently(async () => [await alertsLate()])) result.observe(late);
        });
    meter
      .createObservableGauge('reckoner_database_connections', {
        description: 'Connections of the pool, and who waits for one.',
      })
      .addCallback((result) => {
        const { total, idle, waiting } = database.load;
        result.observe(total - idle, { state: 'used' });
        result.observe(idle, { state: 'idle' });
        result.observe(waiting, { state: 'waited_for' });
      });
    const gauge = (name: string, description: string, read: () => number) =>
      meter.createObservableGauge(name, { description }).addCallback((result) => result.observe(read()));
    gauge('reckoner_database_away', '1 where the database could not be reached.', () => (database.isAway ? 1 : 0));
    if (ingest) {
      gauge('reckoner_ingest_held_events', 'Room that events take up while they wait.', () => ingest().held);
      gauge('reckoner_ingest_requests', 'Requests whose events are read or stored.', () => ingest().requests);
      gauge('reckoner_ingest_oldest_seconds', 'Since when the oldest waits.', () => ingest().oldestSeconds);
    }
    if (slots) {
      gauge('reckoner_http_working_requests', 'Requests in work, without events.', () => slots().working);
      gauge(
        'reckoner_http_waiting_requests',
        'Requests that wait for others of their merchant.',
        () => slots().waiting,
      );
      meter
        .createObservableCounter('reckoner_http_refused_requests', {
          description: 'Requests that were refused because too many of their merchant waited.',
        })
        .addCallback((result) => result.observe(slots().refused));
    }
    meter
      .createObservableGauge('nodejs_eventloop_delay_seconds', {
        description: 'How late the event loop was since the last look, by quantile.',
      })
      .addCallback((result) => {
        for (const quantile of [50, 99, 100]) {
          const late = this.#delay.percentile(quantile) / NANOSECONDS - RESOLUTION_MILLISECONDS / 1000;
          result.observe(Math.max(0, late), { quantile: String(quantile / 100) });
        }
        this.#delay.reset();
      });
    meter
      .createObservableGauge('process_memory_bytes', { description: 'Memory of the process.' })
      .addCallback((result) => {
        const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
        for (const [part, bytes] of Object.entries({ rss, heapUsed, heapTotal, external }))
          result.observe(bytes, { part });
      });
    meter
      .createObservableCounter('process_cpu_seconds', { description: 'Processor time used.' })
      .addCallback((result) => {
        const { user, system } = process.cpuUsage();
        result.observe((user + system) / 1e6);
      });
    this.#delay.enable();
  }

  /** `route` is the declared path, `/v0/products/:id`, never the one that was sent. */
  request(method: string, route: string, status: number, seconds: number): void {
    this.#requests.add(1, { method, route, status });
    this.#requestSeconds.record(seconds, { method, route, status: `${Math.floor(status / 100)}xx` });
  }

  step({ kind, outcome, seconds }: StepMeasure): void {
    this.#steps.add(1, { kind, outcome });
    this.#stepSeconds.record(seconds, { kind });
  }

  webhook(outcome: 'delivered' | 'failed', seconds: number): void {
    this.#webhooks.add(1, { outcome });
    this.#webhookSeconds.record(seconds);
  }

  /** All of it in Prometheus' text format, at most a second old. */
  text(): Promise<string> {
    const now = this.#clock();
    if (!this.#kept || now - this.#kept.at >= KEPT_MILLISECONDS) this.#kept = { at: now, text: this.#make() };
    return this.#kept.text;
  }

  /** One metric after another, each in a turn of its own: the durations of all routes are thousands of lines. */
  async #make(): Promise<string> {
    const { resourceMetrics } = await this.#reader.collect();
    let text = '';
    for (const scope of resourceMetrics.scopeMetrics)
      for (const metric of scope.metrics) {
        text += this.#serializer.serialize({ ...resourceMetrics, scopeMetrics: [{ ...scope, metrics: [metric] }] });
        await turn();
      }
    return text;
  }

  async close(): Promise<void> {
    this.#delay.disable();
    await this.#provider.shutdown();
  }
}

/**
 * Observes figures by their labels. A gauge keeps the last figure of labels that are not observed again, so those that
 * are no longer counted are observed as 0. Where the database does not answer, nothing is observed.
 */
function observeBy(count: () => Promise<readonly Figure[]>): (result: Observed) => Promise<void> {
  const seen = new Map<string, Labels>();
  return async (result) => {
    for (const counted of await patiently(async () => [await count()])) {
      const figures = new Map(counted.map(({ labels, figure }) => [nameOf(labels), figure]));
      for (const { labels } of counted) seen.set(nameOf(labels), labels);
      for (const [name, labels] of seen) result.observe(figures.get(name) ?? 0, labels);
    }
  };
}

type Labels = Readonly<Record<string, string>>;
interface Figure {
  readonly labels: Labels;
  readonly figure: number;
}
interface Observed {
  observe(figure: number, labels: Record<string, string>): void;
}

const nameOf = (labels: Labels): string => JSON.stringify(labels);

/** The answer of the database, or nothing if it does not answer in time. */
async function patiently<Item>(ask: () => Promise<readonly Item[]>): Promise<readonly Item[]> {
  const timer = new AbortController();
  const late = sleep(PATIENCE_MILLISECONDS, [], { signal: timer.signal }).catch(() => []);
  const answer = await Promise.race([ask().catch(() => []), late]);
  timer.abort();
  return answer;
}
