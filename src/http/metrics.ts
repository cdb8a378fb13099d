import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../db/index.ts';
import { type Counted, Durations, type Figure, Figures, type Metric, type Series } from './prometheus.ts';
import { turn } from './turns.ts';

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
  readonly #metrics: Metric[] = [];
  /** Each of them reads current values and puts them into their metrics. */
  readonly #readers: (() => Promise<void>)[] = [];
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MILLISECONDS });
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
    this.#requests = this.#figures('counter', 'reckoner_http_requests_total', 'Requests answered.');
    this.#requestSeconds = this.#durations(
      'reckoner_http_request_duration_seconds',
      'Seconds from the first byte of a request to the last of its answer.',
    );
    this.#steps = this.#figures(
      'counter',
      'reckoner_due_steps_total',
      'Steps of due work by what became of them: done, failed (tried again), parked (given up).',
    );
    this.#stepSeconds = this.#durations('reckoner_due_step_duration_seconds', 'Seconds that a step of due work took.');
    this.#webhooks = this.#figures(
      'counter',
      'reckoner_webhook_attempts_total',
      'Attempts to deliver webhooks by what came of them: delivered, failed.',
    );
    this.#webhookSeconds = this.#durations(
      'reckoner_webhook_attempt_duration_seconds',
      'Seconds that an attempt to deliver a webhook took.',
    );
    this.#readDatabase(options);
    this.#readLoad(options);
    this.#readProcess();
    this.#delay.enable();
  }

  /** Counts that the database knows. */
  #readDatabase({ countParked, countUnbilled, countWebhooks, countExceptions, alertsLate }: MetricsOptions): void {
    this.#gauge('reckoner_due_parked', 'Records whose step was given up; a person has to look.', async () =>
      (await countParked()).map(({ kind, parked }) => ({ labels: { kind }, figure: parked })),
    );
    if (countUnbilled)
      this.#gauge(
        'reckoner_usage_unbilled_events',
        'Events of the last finished day that nobody pays for, of all merchants.',
        async () => (await countUnbilled()).map(({ reason, events }) => ({ labels: { reason }, figure: events })),
      );
    if (countWebhooks) {
      const waiting = this.#figures(
        'gauge',
        'reckoner_webhook_deliveries_pending',
        'Webhooks that wait for an attempt.',
      );
      const endpoints = this.#figures(
        'gauge',
        'reckoner_webhook_endpoints',
        'Webhook endpoints that fail, and that were disabled for it.',
      );
      this.#read(countWebhooks, ({ pending, failing, disabled }) => {
        waiting.replace([{ figure: pending }]);
        endpoints.replace(byLabel('state', { failing, disabled }));
      });
    }
    if (countExceptions)
      this.#gauge(
        'reckoner_payment_exceptions',
        'Payments at providers that need a person, of all merchants (GET /v0/paymentExceptions).',
        async () =>
          (await countExceptions()).map(({ kind, status, exceptions }) => ({
            labels: { kind, status },
            figure: exceptions,
          })),
      );
    if (alertsLate)
      this.#gauge(
        'reckoner_alerts_late_seconds',
        'Seconds since the oldest event was accepted that alerts have not looked at.',
        async () => [{ figure: await alertsLate() }],
      );
  }

  /** What this process has in work, and its connections to the database. */
  #readLoad({ database, ingest, slots }: MetricsOptions): void {
    this.#gauge('reckoner_database_connections', 'Connections of the pool, and who waits for one.', () => {
      const { total, idle, waiting } = database.load;
      return byLabel('state', { used: total - idle, idle, waited_for: waiting });
    });
    const gauge = (name: string, help: string, read: () => number) =>
      this.#gauge(name, help, () => [{ figure: read() }]);
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
      const refused = this.#figures(
        'counter',
        'reckoner_http_refused_requests_total',
        'Requests that were refused because too many of their merchant waited.',
      );
      this.#read(slots, (counts) => refused.replace([{ figure: counts.refused }]));
    }
  }

  #readProcess(): void {
    this.#gauge(
      'nodejs_eventloop_delay_seconds',
      'How late the event loop was since the last look, by quantile.',
      () => {
        const late = [50, 99, 100].map((quantile) => {
          const seconds = this.#delay.percentile(quantile) / NANOSECONDS - RESOLUTION_MILLISECONDS / 1000;
          return { labels: { quantile: quantile / 100 }, figure: Math.max(0, seconds) };
        });
        this.#delay.reset();
        return late;
      },
    );
    this.#gauge('process_memory_bytes', 'Memory of the process.', () => {
      const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
      return byLabel('part', { rss, heapUsed, heapTotal, external });
    });
    const used = this.#figures('counter', 'process_cpu_seconds_total', 'Processor time used.');
    this.#read(
      () => process.cpuUsage(),
      ({ user, system }) => used.replace([{ figure: (user + system) / 1e6 }]),
    );
  }

  #figures(type: 'counter' | 'gauge', name: string, help: string): Figures {
    const figures = new Figures(type, name, help);
    this.#metrics.push(figures);
    return figures;
  }

  #durations(name: string, help: string): Durations {
    const durations = new Durations(name, help, DURATION_SECONDS);
    this.#metrics.push(durations);
    return durations;
  }

  #gauge(name: string, help: string, read: () => readonly Figure[] | Promise<readonly Figure[]>): void {
    const figures = this.#figures('gauge', name, help);
    this.#read(read, (found) => figures.replace(found));
  }

  /** Where the database does not answer, the metrics keep their last values. */
  #read<Answer>(ask: () => Answer | Promise<Answer>, put: (answer: Answer) => void): void {
    this.#readers.push(async () => {
      for (const answer of await patiently(ask)) put(answer);
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

  step({ kind, outcome, seconds }: StepMeasure): void {
    this.#steps.increment({ kind, outcome });
    this.#stepSeconds.record(seconds, { kind });
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
    await Promise.all(this.#readers.map((read) => read()));
    let text = '';
    for (const metric of this.#metrics) {
      text += metric.text();
      await turn();
    }
    return text;
  }

  close(): void {
    this.#delay.disable();
  }
}

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
