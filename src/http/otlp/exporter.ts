import type { MetricReading } from '../metrics/metrics.ts';
import { type Attributes, metricsBody, type Span, traceBody } from './encoding.ts';

export interface ExporterOptions {
  /** The start of the receiver's address. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Attributes;
  /** Attributes of every value of a metric. */
  readonly labels: Attributes;
  /** Wall time in nanoseconds since 1970. */
  readonly wallNanoseconds: () => bigint;
  /** Told of the first failure in a row (with its error), and of the first success after it (null). */
  readonly onTrouble: (error: Error | null) => void;
  /** Between two batches; absent: 5 s. */
  readonly everyMilliseconds?: number | undefined;
}

const EVERY_MILLISECONDS = 5_000;
/** Metrics go with each third batch. */
const BATCHES_FOR_METRICS = 3;
const MOST_SPANS = 8_192;
/** Spans of one body: its JSON is made in about a millisecond. */
const SPANS_AT_ONCE = 512;
const ANSWER_MILLISECONDS = 5_000;
/** A stop waits no longer than this for the last spans. */
const LAST_MILLISECONDS = 2_000;

/** Sends spans and metrics in batches. Spans wait in a bounded queue; those without room are lost. */
export class Exporter {
  readonly #options: ExporterOptions;
  readonly #startedAt: bigint;
  readonly #end = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #queue: Span[] = [];
  #sending: Promise<void> | undefined;
  #batches = 0;
  #isFailing = false;
  #readings: (() => Promise<readonly MetricReading[]>) | undefined;
  /** Spans that were lost. */
  dropped = 0;

  constructor(options: ExporterOptions) {
    this.#options = options;
    this.#startedAt = options.wallNanoseconds();
    this.#timer = setInterval(() => this.#start(), options.everyMilliseconds ?? EVERY_MILLISECONDS).unref();
  }

  /** Says how the metrics are read; before this, none are sent. */
  reads(readings: () => Promise<readonly MetricReading[]>): void {
    this.#readings = readings;
  }

  /** Queues a span; a full queue drops it. */
  add(span: Span): void {
    if (this.#queue.length >= MOST_SPANS) {
      this.dropped += 1;
      return;
    }
    this.#queue.push(span);
    if (this.#queue.length === SPANS_AT_ONCE) this.#start();
  }

  /** Sends what waits, if nothing is being sent: a slow receiver has one call at a time. */
  #start(): void {
    if (this.#sending) return;
    this.#batches += 1;
    const withMetrics = this.#batches % BATCHES_FOR_METRICS === 1;
    this.#sending = this.#send(withMetrics).finally(() => {
      this.#sending = undefined;
    });
  }

  async #send(withMetrics: boolean): Promise<void> {
    while (this.#queue.length > 0) {
      const spans = this.#queue.slice(0, SPANS_AT_ONCE);
      const answer = await this.#post('/v1/traces', traceBody(this.#options.resource, spans));
      if (answer === 'later') break;
      this.#queue.splice(0, spans.length);
      if (answer === 'refused') this.dropped += spans.length;
    }
    if (withMetrics) await this.#sendMetrics();
  }

  async #sendMetrics(): Promise<void> {
    const readings = await this.#readings?.().catch(() => undefined);
    if (!readings) return;
    const times = { startedAt: this.#startedAt, readAt: this.#options.wallNanoseconds() };
    await this.#post('/v1/metrics', await metricsBody(this.#options.resource, readings, this.#options.labels, times));
  }

  /** @returns `refused` if the receiver will never take this body; `later` if it may */
  async #post(path: string, body: string): Promise<'taken' | 'refused' | 'later'> {
    const { endpoint, headers } = this.#options;
    try {
      const signal = AbortSignal.any([AbortSignal.timeout(ANSWER_MILLISECONDS), this.#end.signal]);
      const response = await fetch(endpoint + path, {
        ...{ method: 'POST', body, signal, redirect: 'error' },
        headers: { ...headers, 'content-type': 'application/json' },
      });
      await response.body?.cancel();
      const { ok, status } = response;
      this.#notice(ok ? null : new Error(`The OTLP receiver answered ${status}.`));
      if (ok) return 'taken';
      return status === 429 || status >= 500 ? 'later' : 'refused';
    } catch (error) {
      this.#notice(error as Error);
      return 'later';
    }
  }

  #notice(error: Error | null): void {
    if (this.#isFailing === (error !== null)) return;
    this.#isFailing = error !== null;
    this.#options.onTrouble(error);
  }

  /** Sends the last spans and metrics, as far as the receiver takes them soon. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    const late = setTimeout(() => this.#end.abort(), LAST_MILLISECONDS);
    await this.#sending;
    await this.#send(true);
    clearTimeout(late);
    this.dropped += this.#queue.length;
    this.#queue = [];
  }
}
