import { type Database, sqlState, type Tx } from '../../db/index.ts';
import { type Failure, fail, ok, orThrow, RefusalError, type Result } from '../../kernel/result.ts';
import { type Instant, latest } from '../../kernel/time.ts';
import { selectAtHand } from '../events/at-hand.sql.ts';
import { selectEventIds } from '../events/event-id.sql.ts';
import type { EventIds } from '../events/event-id.ts';
import type { EventRecord } from '../events/event-record.ts';
import type { IncomingEvent } from '../events/incoming-event.ts';
import { inSlices } from '../meter/slices.ts';
import { FairQueue, type Waiting } from './fair-queue.ts';
import {
  agreeing,
  archivedIn,
  type Batch,
  contradictsItself,
  type Entry,
  flushOf,
  keysReused,
  type Outcome,
  outcomesOf,
  type PreparedEvent,
  prepare,
} from './flush.ts';
import { ingestAlone, ingestWithin, selectStoredKeys } from './intake.sql.ts';

/** The port through which events come in: one batch, all or nothing, answered after its commit. */
export interface EventIntake {
  /**
   * @returns the events in the order given, a repeated one as it was first accepted; see `acceptEvents`. @throws
   *   RefusalError
   */
  accept(events: readonly IncomingEvent[], now: Instant): Promise<EventRecord[]>;
}

export interface IntakeOptions {
  /** Flushes that run at the same time; default 2. */
  readonly connections?: number;
  /** Events that wait or are being stored, in all; default 20,000. One batch is taken even if it is larger. */
  readonly events?: number;
  /** Their bytes; default 32 MiB. */
  readonly bytes?: number;
  /** About so many events are stored at once; default 2,000. */
  readonly flush?: number;
}

/** One for each process and database: what comes in at the same time is stored together. */
export const createIntake = (database: Database, options: IntakeOptions = {}): EventIntake =>
  new Intake(database, options);

/** The intakes of a process, one for each database. */
export function createIntakes(options: IntakeOptions = {}): (database: Database) => EventIntake {
  const intakes = new WeakMap<Database, EventIntake>();
  return (database) => {
    const known = intakes.get(database) ?? createIntake(database, options);
    intakes.set(database, known);
    return known;
  };
}

/**
 * Another event of the flush can be at fault for it, or a bug; everything else is the database that is away or busy.
 */
const MAY_BE_ONES_OWN = /^(?:2|3|42|54|P0|XX)/;
const EVENT_OVERHEAD_BYTES = 400;

interface Request extends Batch, Waiting {
  readonly bytes: number;
  readonly now: Instant;
  readonly resolve: (result: Result<EventRecord[]>) => void;
  readonly fault: (error: unknown) => void;
}

/** The number of waiting events that justifies a flush beside a running one: its cost is small against them. */
const WORTH_ANOTHER = 250;
/**
 * Milliseconds after which a flush is taken to be held up: who comes so much later than its last request waits for it
 * no longer.
 */
const PATIENCE = 25;

/**
 * Requests wait in a fair queue; a flush starts when none is under way, and takes what is there. So a lone event waits
 * for nobody, and under load more of them share a commit, without a timer. Where much is waiting, or where a flush
 * takes long, another one starts beside it, on one of few connections.
 */
class Intake implements EventIntake {
  readonly #database: Database;
  readonly #limits: Required<IntakeOptions>;
  readonly #queue = new FairQueue<Request>();
  #free: number;
  /** When the last request came, and when the last one of the last flush did. */
  #lastCame = 0;
  #lastTaken = 0;
  #events = 0;
  #bytes = 0;
  #isLookingSoon = false;
  #known: EventIds | undefined;

  constructor(database: Database, limits: IntakeOptions) {
    this.#database = database;
    this.#limits = { connections: 2, events: 20_000, bytes: 32 * 1024 * 1024, flush: 2_000, ...limits };
    this.#free = this.#limits.connections;
  }

  async accept(incoming: readonly IncomingEvent[], now: Instant): Promise<EventRecord[]> {
    const [first] = incoming;
    if (first === undefined) return [];
    const { events: mostEvents, bytes: mostBytes } = this.#limits;
    const isFull = this.#events > 0 && (this.#events + incoming.length > mostEvents || this.#bytes >= mostBytes);
    if (isFull) throw new RefusalError(queueFull.refusal);
    this.#events += incoming.length;
    let bytes = 0;
    try {
      const events = await prepareInSlices(incoming);
      bytes = events.reduce((total, { event }) => total + event.data.length + EVENT_OVERHEAD_BYTES, 0);
      this.#bytes += bytes;
      if (contradictsItself({ events })) return await this.#refuse(events);
      const { promise, resolve, reject } = Promise.withResolvers<Result<EventRecord[]>>();
      const owner = first.merchantId;
      this.#lastCame = now.epochMilliseconds;
      this.#queue.add({ events, owner, size: events.length, bytes, now, resolve, fault: reject });
      this.#lookSoon();
      return orThrow(await promise);
    } finally {
      this.#events -= incoming.length;
      this.#bytes -= bytes;
    }
  }

  async #refuse(events: readonly PreparedEvent[]): Promise<never> {
    const merchants = [...new Set(events.map(({ event }) => event.merchantId))];
    return this.#database.transaction({ merchants }, async (tx) => orThrow<never>(await explain(tx, events)));
  }

  /** Runs after all simultaneous requests have arrived. */
  #lookSoon(): void {
    if (this.#isLookingSoon || this.#free === 0) return;
    this.#isLookingSoon = true;
    setImmediate(() => {
      this.#isLookingSoon = false;
      this.#look();
    });
  }

  #look(): void {
    while (this.#mayStart) {
      const { together, later } = agreeing(this.#queue.take(this.#limits.flush));
      this.#queue.putBack(later);
      this.#free -= 1;
      this.#lastTaken = this.#lastCame;
      void this.#flush(together, false).finally(() => {
        this.#free += 1;
        this.#lookSoon();
      });
    }
  }

  get #mayStart(): boolean {
    if (!this.#queue.isWaiting || this.#free === 0) return false;
    const isFirst = this.#free === this.#limits.connections;
    return isFirst || this.#queue.size >= WORTH_ANOTHER || this.#lastCame - this.#lastTaken > PATIENCE;
  }

  /** The ids of this database, read before the first flush. */
  async #ids(): Promise<EventIds> {
    this.#known ??= await this.#database.transaction('nobody', selectEventIds);
    return this.#known;
  }

  /** Stores requests together and answers them. Never rejects. */
  async #flush(requests: readonly Request[], mayWait: boolean): Promise<void> {
    try {
      await this.#tryFlush(requests, mayWait);
    } catch (error) {
      if (requests.length === 1 || !MAY_BE_ONES_OWN.test(sqlState(error))) {
        for (const { fault } of requests) fault(error);
        return;
      }
      for (const request of requests) await this.#flush([request], mayWait); // only the guilty one hears of it
    }
  }

  async #tryFlush(requests: readonly Request[], mayWait: boolean): Promise<void> {
    const flush = flushOf(requests);
    const now = requests.reduce((newest, request) => latest(newest, request.now), (requests[0] as Request).now);
    const ids = await this.#ids();
    let row = await ingestAlone(this.#database, flush, { mayWait, now });
    const archived = archivedIn(flush, row);
    if (archived.length > 0) {
      if (requests.length > 1) {
        for (const request of requests) await this.#flush([request], mayWait); // only one that repeats them waits
        return;
      }
      const merchants = [...new Set(archived.map(({ prepared }) => prepared.event.merchantId))];
      await this.#database.transaction({ merchants }, (tx) => bringBack(tx, archived));
      row = await ingestAlone(this.#database, flush, { mayWait, now });
    }
    if (row.busy !== null) {
      this.#waitFor(new Set(row.busy), requests);
      return;
    }
    const outcomes = outcomesOf(requests, flush, row, ids);
    const again = requests.filter((_, index) => outcomes[index] === 'again');
    this.#queue.putBack(again);
    answer(requests, outcomes);
  }

  /**
   * Another transaction needs all events of these merchants (an invoice is being closed): their requests wait for it,
   * on separate connections, and no other requests do.
   */
  #waitFor(busy: ReadonlySet<string>, requests: readonly Request[]): void {
    const isOfBusy = ({ events }: Request) => events.some(({ event }) => busy.has(event.merchantId));
    this.#queue.putBack(requests.filter((request) => !isOfBusy(request)));
    for (const [owner, waiting] of Map.groupBy(requests.filter(isOfBusy), (request) => request.owner)) {
      if (this.#queue.isHeld(owner)) {
        this.#queue.putBack(waiting);
        continue;
      }
      this.#queue.hold(owner);
      void this.#flush(waiting, true).finally(() => {
        this.#queue.release(owner);
        this.#lookSoon();
      });
    }
  }
}

const queueFull: Failure = fail('INGEST_QUEUE_FULL');

const prepareAll = (events: readonly IncomingEvent[]): PreparedEvent[] => events.map(prepare);

/** Prepares in slices, so that a large batch does not delay others. */
const prepareInSlices = async (events: readonly IncomingEvent[]): Promise<PreparedEvent[]> =>
  events.length === 1 ? prepareAll(events) : (await inSlices(events, ({ data }) => data, prepareAll)).flat();

function answer(requests: readonly Request[], outcomes: readonly Outcome[]): void {
  for (const [index, { resolve }] of requests.entries()) {
    const outcome = outcomes[index] as Outcome;
    if (outcome !== 'again') resolve('records' in outcome ? ok(outcome.records) : outcome);
  }
}

/** Fails where events of repeated keys are in the archive; then they are brought back, and the work runs again. */
async function bringBack(tx: Tx, repeated: readonly Entry[]): Promise<void> {
  if (repeated.length === 0) return;
  const keys = repeated.map(({ prepared: { h, event } }) => ({ h, merchantId: event.merchantId }));
  for (const { merchantId, seq, day } of await selectStoredKeys(tx, keys)) {
    const from = Temporal.PlainDate.from(day).toZonedDateTime('UTC').toInstant();
    await selectAtHand(tx, { merchantId, from, to: from.add({ hours: 24 }), after: seq - 1n, upTo: seq });
  }
}

/**
 * The reason of a refused batch that contradicts itself: its events that differ from stored ones, or from earlier ones.
 */
async function explain(tx: Tx, events: readonly PreparedEvent[]): Promise<Result<never>> {
  const keys = events.map(({ h, event }) => ({ h, merchantId: event.merchantId }));
  const fingerprints = new Map((await selectStoredKeys(tx, keys)).map(({ h, fp }) => [h, fp]));
  for (const { h, fp } of events) if (!fingerprints.has(h)) fingerprints.set(h, fp);
  return keysReused(events, ({ h, fp }) => fingerprints.get(h) !== fp);
}

/**
 * Accepts events in the caller's transaction, all or none: on a refusal the caller must roll back. The same key with
 * the same content is the same event, now and for ever, also twice in one batch; with other content the batch is
 * refused with `IDEMPOTENCY_KEY_REUSED` and each conflict.
 */
export async function acceptEvents(
  tx: Tx,
  incoming: readonly IncomingEvent[],
  now: Instant,
): Promise<Result<EventRecord[]>> {
  if (incoming.length === 0) return ok([]);
  const events = prepareAll(incoming);
  if (contradictsItself({ events })) return explain(tx, events);
  const flush = flushOf([{ events }]);
  const row = await ingestWithin(tx, flush, { mayWait: true, now });
  await bringBack(tx, archivedIn(flush, row));
  const [outcome] = outcomesOf([{ events }], flush, row, await selectEventIds(tx));
  if (outcome === undefined || outcome === 'again') throw new Error('A flush of one batch returned no result for it.');
  return 'records' in outcome ? ok(outcome.records) : outcome;
}
