import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../db/index.ts';
import { turn } from '../turns.ts';
import { type Counted, Durations, type Figure, Figures, type Metric, type Points, type Series } from './prometheus.ts';
import { METRICS, type MetricEntry, type MetricName, metricEntry } from './table.ts';

/** Steps of background jobs that one transaction has done, from the runner. */
export interface StepMeasure {
  readonly kind: string;
  readonly outcome: 'done' | 'failed' | 'parked';
  readonly records: number;
  /** Of each of them. */
  readonly seconds: number;
}

/** The values of one metric, as they were read. */
export type MetricReading = { readonly name: MetricName; readonly entry: MetricEntry } & Points;

/** Who reads: each has a measurement of the event loop of its own, which begins anew with each of its readings. */
type Reader = 'page' | 'exporter';

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
  /** How long the background job waits that is due longest, in seconds. */
  readonly dueLag?: () => Promise<number>;
  /** By how many seconds the clock is behind the latest time that was read. */
  readonly clockBehind?: () => number;
  /** How long ago the oldest event was accepted that alerts have not looked at, in seconds. */
  readonly alertsLate?: () => Promise<number>;
  readonly ingest?: () => IngestMeasure;
  /** Reports since the start, by who answered them; absent: there is no standby. */
  readonly reports?: Readonly<Record<string, number>>;
  /** Spans that could not be sent; absent: none are made. */
  readonly droppedSpans?: () => number;
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

/** The measurements of this process, for Prometheus and OTLP. Nothing in it names a merchant. */
export class Metrics {
  readonly #metrics = new Map<MetricName, Metric>();
  /** Each of them reads current values and puts them into their metrics. */
  readonly #readers: ((reader: Reader) => Promise<void>)[] = [];
  readonly #delays = { page: delayOfEventLoop(), exporter: delayOfEventLoop() };
  readonly #clock: () => number;
  #kept: { readonly at: number; readonly text: Promise<string> } | undefined;
  /** The figures of requests that came before, by method, route and status: each request would write their labels. */
  readonly #measured = new Map<string, { readonly count: Counted; readonly series: Series }>();
  readonly #requests;
  readonly #requestSeconds;
  readonly #steps;
  readonly #stepSeconds;
  readonly #webhooks;
  readonly #webhookSeconds;

  constructor(options: MetricsOptions) {
    this.#clock = options.clock ?? (() => performance.now());
    this.#requests = this.#figures('reckoner_http_requests_total');
    this.#requestSeconds = this.#durations('reckoner_http_request_duration_seconds');
    this.#steps = this.#figures('reckoner_due_steps_total');
    this.#stepSeconds = this.#durations('reckoner_due_step_duration_seconds');
    this.#webhooks = this.#figures('reckoner_webhook_attempts_total');
    this.#webhookSeconds = this.#durations('reckoner_webhook_attempt_duration_seconds');
    this.#readDatabase(options);
    this.#readLoad(options);
    this.#readProcess();
    this.#delays.page.enable();
  }

  /** Counts that the database knows. */
  #readDatabase({
    countParked,
    countUnbilled,
    countWebhooks,
    countExceptions,
    alertsLate,
    clockBehind,
    dueLag,
  }: MetricsOptions): void {
    this.#show('reckoner_due_parked', async () =>
      (await countParked()).map(({ kind, parked }) => ({ labels: { kind }, figure: parked })),
    );
    if (countUnbilled)
      this.#show('reckoner_usage_unbilled_events', async () =>
        (await countUnbilled()).map(({ reason, events }) => ({ labels: { reason }, figure: events })),
      );
    if (countWebhooks) {
      const waiting = this.#figures('reckoner_webhook_deliveries_pending');
      const endpoints = this.#figures('reckoner_webhook_endpoints');
      this.#read(countWebhooks, ({ pending, failing, disabled }) => {
        waiting.replace([{ figure: pending }]);
        endpoints.replace(byLabel('state', { failing, disabled }));
      });
    }
    if (countExceptions)
      this.#show('reckoner_payment_exceptions', async () =>
        (await countExceptions()).map(({ kind, status, exceptions }) => ({
          labels: { kind, status },
          figure: exceptions,
        })),
      );
    if (dueLag) this.#show('reckoner_due_lag_seconds', async () => [{ figure: await dueLag() }]);
    if (clockBehind) this.#show('reckoner_clock_behind_seconds', () => [{ figure: clockBehind() }]);
    if (alertsLate) this.#show('reckoner_alerts_late_seconds', async () => [{ figure: await alertsLate() }]);
  }

  /** What this process has in work, and its connections to the database. */
  #readLoad({ database, ingest, slots, reports, droppedSpans }: MetricsOptions): void {
    this.#show('reckoner_database_connections', () => {
      const { total, idle, waiting } = database.load;
      return byLabel('state', { used: total - idle, idle, waited_for: waiting });
    });
    const show = (name: MetricName, read: () => number) => this.#show(name, () => [{ figure: read() }]);
    show('reckoner_database_away', () => (database.isAway ? 1 : 0));
    if (ingest) {
      show('reckoner_ingest_held_events', () => ingest().held);
      show('reckoner_ingest_requests', () => ingest().requests);
      show('reckoner_ingest_oldest_seconds', () => ingest().oldestSeconds);
    }
    if (slots) {
      show('reckoner_http_working_requests', () => slots().working);
      show('reckoner_http_waiting_requests', () => slots().waiting);
      show('reckoner_http_refused_requests_total', () => slots().refused);
    }
    if (reports) this.#show('reckoner_reports_total', () => byLabel('outcome', reports));
    if (droppedSpans) show('reckoner_otlp_dropped_spans_total', droppedSpans);
  }

  #readProcess(): void {
    this.#show('nodejs_eventloop_delay_seconds', (reader) => {
      const delay = this.#delays[reader];
      const late = [50, 99, 100].map((quantile) => {
        const seconds = delay.percentile(quantile) / NANOSECONDS - RESOLUTION_MILLISECONDS / 1000;
        return { labels: { quantile: quantile / 100 }, figure: Math.max(0, seconds) };
      });
      delay.reset();
      return late;
    });
    this.#show('process_memory_bytes', () => {
      const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
      return byLabel('part', { rss, heapUsed, heapTotal, external });
    });
    this.#show('process_cpu_seconds_total', () => {
      const { user, system } = process.cpuUsage();
      return [{ figure: (user + system) / 1e6 }];
    });
  }

  #figures(name: MetricName): Figures {
    const { kind, help } = metricEntry(name);
    if (kind === 'histogram') throw new TypeError(`${name} has no figures.`);
    const figures = new Figures(kind, name, help);
    this.#metrics.set(name, figures);
    return figures;
  }

  #durations(name: MetricName): Durations {
    const durations = new Durations(name, metricEntry(name).help, DURATION_SECONDS);
    this.#metrics.set(name, durations);
    return durations;
  }

  /** A metric whose values are read when somebody asks. */
  #show(name: MetricName, read: (reader: Reader) => readonly Figure[] | Promise<readonly Figure[]>): void {
    const figures = this.#figures(name);
    this.#read(read, (found) => figures.replace(found));
  }

  /** Where the database does not answer, the metrics keep their last values. */
  #read<Answer>(ask: (reader: Reader) => Answer | Promise<Answer>, put: (answer: Answer) => void): void {
    this.#readers.push(async (reader) => {
      for (const answer of await patiently(() => ask(reader))) put(answer);
    });
  }

  /** `route` is the declared path, `/v0/products/:id`, never the one that was sent. */
  request(method: string, route: string, status: number, seconds: number): void {
    const name = `${method} ${route} ${status}`;
    let measured = this.#measured.get(name);
    if (!measured) {
      const series = this.#requestSeconds.at({ method, route, status: `${Math.floor(status / 100)}xx` });
      measured = { count: this.#requests.at({ method, route, status }), series };
      this.#measured.set(name, measured);
    }
    measured.count.figure += 1;
    measured.series.record(seconds);
  }

  step({ kind, outcome, records, seconds }: StepMeasure): void {
    this.#steps.at({ kind, outcome }).figure += records;
    const series = this.#stepSeconds.at({ kind });
    for (let record = 0; record < records; record += 1) series.record(seconds);
  }

  webhook(outcome: 'delivered' | 'failed', seconds: number): void {
    this.#webhooks.increment({ outcome });
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
    await Promise.all(this.#readers.map((read) => read('page')));
    let text = '';
    for (const metric of this.#metrics.values()) {
      text += metric.text();
      await turn();
    }
    return text;
  }

  /** All of it as values, for the exporter. */
  async readings(): Promise<MetricReading[]> {
    this.#delays.exporter.enable();
    await Promise.all(this.#readers.map((read) => read('exporter')));
    return Array.from(this.#metrics, ([name, metric]) => ({ name, entry: METRICS[name], ...metric.points() }));
  }

  close(): void {
    this.#delays.page.disable();
    this.#delays.exporter.disable();
  }
}

const delayOfEventLoop = () => monitorEventLoopDelay({ resolution: RESOLUTION_MILLISECONDS });

const byLabel = (name: string, figures: Readonly<Record<string, number>>): Figure[] =>
  Object.entries(figures).map(([value, figure]) => ({ labels: { [name]: value }, figure }));

/** A list of the answer, or an empty list if there is none in time. */
async function patiently<Answer>(ask: () => Answer | Promise<Answer>): Promise<readonly Answer[]> {
  const timer = new AbortController();
  const late = sleep(PATIENCE_MILLISECONDS, [], { signal: timer.signal }).catch(() => []);
  const answer = (async () => [await ask()])().catch(() => []);
  const first = await Promise.race([answer, late]);
  timer.abort();
  return first;
}
