import { ApiError, ConnectionError } from './errors.ts';
import type { EventCreate } from './generated/types.ts';

/** Where events wait beside memory: a program that is killed loses none. `fileStore` of `@reckoner/sdk/file`. */
export interface EventStore {
  /** Events that an earlier program left, oldest first; each group was kept under one name. */
  left(): readonly StoredEvents[];
  /** Keeps an event, before `track` returns. */
  add(event: string): void;
  /** Ends the group that events are being added to. @returns its name; null: it is empty */
  seal(): string | null;
  /** Forgets a group that was sent. */
  remove(name: string): void;
  close(): void;
}

export interface StoredEvents {
  readonly name: string;
  readonly events: readonly string[];
}

export interface BufferOptions {
  /** How many events are sent at once. Default: 1,000; the API takes 10,000. */
  readonly batchSize?: number;
  /** How long an event waits for company, in milliseconds. Default: 1,000. */
  readonly intervalMilliseconds?: number;
  /** From this number of waiting events on, `track` lets its caller wait. Default: 100,000. */
  readonly mostWaiting?: number;
  /** Default: memory alone. */
  readonly store?: EventStore;
  /** Told of an event that the server refuses for what it is; it is not sent again. Default: a warning. */
  readonly onRefused?: (event: EventCreate, error: ApiError) => void;
}

/** Sends a JSON text of events. */
type SendEvents = (
  events: string,
  options: { readonly retries: number; readonly timeoutMilliseconds: number; readonly signal: AbortSignal },
) => Promise<unknown>;

interface Batch {
  readonly events: readonly string[];
  /** The group of the store that is forgotten once the batch is sent. */
  readonly name: string | null;
}

const AT_ONCE = Promise.resolve();
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;
const ATTEMPT_MILLISECONDS = 30_000;
const CLOSE_MILLISECONDS = 10_000;

/**
 * Collects events and sends them in batches. Each event has an idempotency key from the start: sent twice, it counts
 * once. An event leaves the buffer only when the server has it or refuses it for what it is.
 */
export class EventBuffer {
  readonly #send: SendEvents;
  readonly #options: Required<Omit<BufferOptions, 'store'>> & Pick<BufferOptions, 'store'>;
  #open: string[] = [];
  readonly #batches: Batch[] = [];
  #sending: Promise<void> | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #waiting = 0;
  #room: { readonly promise: Promise<void>; readonly resolve: () => void } | null = null;
  #isClosed = false;
  readonly #key: string = globalThis.crypto.randomUUID();
  #count = 0;
  readonly #ended: AbortController = new AbortController();

  constructor(send: SendEvents, options: BufferOptions = {}) {
    this.#send = send;
    this.#options = {
      batchSize: 1000,
      intervalMilliseconds: 1000,
      mostWaiting: 100_000,
      onRefused: warn,
      ...options,
    };
    for (const { name, events } of options.store?.left() ?? []) this.#add({ name, events });
    if (this.#batches.length > 0) this.#start();
    closeAtExit(this);
  }

  /** How many events the server does not have yet. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Takes an event. @returns when there is room for the next one: at once, unless the buffer is full */
  track(event: EventCreate): Promise<void> {
    if (this.#isClosed) throw new Error('The buffer of events is closed.');
    const text = JSON.stringify({
      ...event,
      timestamp: event.timestamp ?? new Date().toISOString(),
      idempotencyKey: event.idempotencyKey ?? this.#nextKey(),
    });
    this.#options.store?.add(text);
    this.#open.push(text);
    this.#waiting += 1;
    if (this.#open.length >= this.#options.batchSize) this.#seal();
    else this.#timer ??= unref(setTimeout(() => this.#seal(), this.#options.intervalMilliseconds));
    if (this.#waiting < this.#options.mostWaiting) return AT_ONCE;
    this.#room ??= Promise.withResolvers?.() ?? withResolvers();
    return this.#room.promise;
  }

  /** Sends all that waits now. It ends when the server has it. */
  async flush(): Promise<void> {
    this.#seal();
    while (this.#sending !== null) await this.#sending;
  }

  /**
   * Sends all that waits, and takes no more.
   * @param patience after so many milliseconds, what is left stays in the store; without one it is lost
   * @returns how many events the server does not have
   */
  async close(patience: number = CLOSE_MILLISECONDS): Promise<number> {
    this.#isClosed = true;
    const timer = setTimeout(() => this.#ended.abort(), patience); // it keeps the program running
    await this.flush();
    clearTimeout(timer);
    this.#options.store?.close();
    this.#room?.resolve();
    return this.#waiting;
  }

  #nextKey(): string {
    this.#count += 1;
    return `${this.#key}-${this.#count}`;
  }

  #add(batch: Batch): void {
    this.#waiting += batch.events.length;
    this.#batches.push(batch);
  }

  /** What was taken so far becomes a batch. */
  #seal(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#open.length > 0) {
      this.#batches.push({ events: this.#open, name: this.#options.store?.seal() ?? null });
      this.#open = [];
    }
    this.#start();
  }

  #start(): void {
    if (this.#sending !== null || this.#batches.length === 0) return;
    this.#sending = this.#sendAll().finally(() => {
      this.#sending = null;
      if (!this.#ended.signal.aborted) this.#start(); // what came as the last batch ended
    });
  }

  async #sendAll(): Promise<void> {
    for (let batch = this.#batches[0]; batch !== undefined; batch = this.#batches[0]) {
      for (let from = 0; from < batch.events.length; from += this.#options.batchSize)
        if (!(await this.#deliver(batch.events.slice(from, from + this.#options.batchSize)))) return;
      this.#batches.shift();
      if (batch.name !== null) this.#options.store?.remove(batch.name);
      this.#waiting -= batch.events.length;
      if (this.#waiting < this.#options.mostWaiting) {
        this.#room?.resolve();
        this.#room = null;
      }
    }
  }

  /** Sends some events until the server has them. @returns false where the buffer was closed meanwhile */
  async #deliver(texts: readonly string[]): Promise<boolean> {
    for (let attempt = 0; ; attempt += 1) {
      if (this.#ended.signal.aborted) return false;
      const error = await this.#send(`[${texts.join(',')}]`, {
        retries: 0,
        timeoutMilliseconds: ATTEMPT_MILLISECONDS,
        signal: this.#ended.signal,
      }).then(
        () => null,
        (reason: unknown) => reason,
      );
      if (error === null) return true;
      if (isAboutThem(error)) return this.#divide(texts, error);
      const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** attempt) * (0.5 + Math.random() / 2);
      const asked = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
      await rest(Math.max(pause, asked), this.#ended.signal);
    }
  }

  /** Of a batch that is refused, the good events count: it is halved until the bad ones stand alone. */
  async #divide(texts: readonly string[], error: ApiError): Promise<boolean> {
    if (texts.length === 1) {
      this.#options.onRefused(JSON.parse(texts[0] as string) as EventCreate, error);
      return true;
    }
    const middle = Math.ceil(texts.length / 2);
    return (await this.#deliver(texts.slice(0, middle))) && this.#deliver(texts.slice(middle));
  }
}

/** A refusal of the events themselves. Missing rights, too many requests and faults of the server may pass. */
const isAboutThem = (error: unknown): error is ApiError =>
  !(error instanceof ConnectionError) && error instanceof ApiError && [400, 404, 409, 413, 422].includes(error.status);

const warn: NonNullable<BufferOptions['onRefused']> = (event, error) =>
  // biome-ignore lint/suspicious/noConsole: an event that is lost must not be lost in silence
  console.warn(`Reckoner refused an event of type ${event.type}: ${error.message}`);

/** A timer that does not keep the program running; `beforeExit` flushes. */
function unref<Timer>(timer: Timer): Timer {
  (timer as { unref?: () => void }).unref?.();
  return timer;
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** A pause that does not keep the program running. */
const rest = (milliseconds: number, ended: AbortSignal): Promise<void> =>
  new Promise((done) => {
    if (ended.aborted) return done();
    const end = () => {
      clearTimeout(timer);
      ended.removeEventListener('abort', end);
      done();
    };
    const timer = unref(setTimeout(end, milliseconds));
    ended.addEventListener('abort', end, { once: true });
  });

/** A program that has nothing else to do sends what waits, and then ends. */
function closeAtExit(buffer: EventBuffer): void {
  const { process } = globalThis as { process?: { once?: (event: 'beforeExit', listener: () => void) => void } };
  process?.once?.('beforeExit', () => {
    if (buffer.waiting > 0)
      void buffer.close().then((left) => {
        // biome-ignore lint/suspicious/noConsole: nobody else can say it any more
        if (left > 0) console.warn(`Reckoner did not take ${left} events before the program ended.`);
      });
  });
}
