import { LRUCache } from 'lru-cache';
import type { Feature } from '../../catalog/index.ts';
import type { Database, Prepared as PreparedStatement, Tx } from '../../db/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { type Instant, isAfter } from '../../kernel/time.ts';
import { type FigureCall, figureCall, measureEach, type UsageScope } from '../../metering/index.ts';
import type { EntitlementRow } from '../entitlements.sql.ts';
import { type Loaded, loadInputs } from '../inputs.ts';
import type { EntitlementParts, SpentBudget } from '../parts.ts';
import { presentLoaded } from '../present.ts';
import type { TimedEntitlement } from '../reading.sql.ts';
import type { EntitlementDetail } from '../schemas.ts';
import { withHolding } from '../snapshots.ts';
import { askedAt, type NowRow, prepareNow, selectNextGrants } from './known.sql.ts';
import { isPreparedFor, type Prepared, prepareDetail } from './prepared.ts';

/** What is read of entitlements of one customer: some that are answered, and others that only say until when. */
export interface Reading {
  readonly customerId: string;
  /** Of all entitlements of the customer, read before everything else here. */
  readonly state: string;
  /** Each at its effective now. */
  readonly entitlements: readonly TimedEntitlement[];
  /** Those that have not begun are not answered. */
  readonly isActiveOnly: boolean;
  /** The question is about the customer; see `NowQuestion`. */
  readonly customer: { readonly externalId: string | null } | null;
  readonly asked?: readonly Feature[] | undefined;
}

/** A reading with its inputs, whose snapshots may not hold. */
export interface OpenedReading {
  readonly reading: Reading;
  readonly loaded: readonly Loaded[];
  /** When the next grant of each begins. */
  readonly nextGrants: readonly (Instant | null)[];
}

export interface Answer {
  readonly customerId: string;
  readonly asked: readonly Feature[] | undefined;
  readonly details: readonly EntitlementDetail[];
  /** Of the customer, where the question is about it. */
  readonly budgets: readonly SpentBudget[];
}

export type ReadingParts = Pick<EntitlementParts, 'findSpentBudgets'>;

/** Who asks, and of what. */
export interface ReadingQuestion {
  readonly database: Database;
  readonly merchantId: string;
  /** Questions with the same text have the same `find`. */
  readonly text: string;
  /** Reads the inputs in one statement, of one moment; null where there are none. Absent: `find` comes first. */
  readonly open?: () => Promise<OpenedReading | null>;
  /** Finds what is read. A refusal is answered as it is. */
  readonly find: (tx: Tx) => Promise<Result<Reading>>;
  /** Wall time. */
  readonly now: Instant;
  readonly signal: AbortSignal;
}

/** An entitlement of a reading that is known. */
interface KnownEntitlement extends Pick<Prepared, 'from' | 'until'> {
  readonly entitlement: Pick<EntitlementRow, 'id' | 'clock_id'>;
  /** Null: it is not answered. */
  readonly prepared: Prepared | null;
}

/** A reading of which nothing but the figures is missing. */
interface Known {
  readonly reading: Pick<Reading, 'customerId' | 'state' | 'asked'>;
  readonly entitlements: readonly KnownEntitlement[];
  readonly figures: FigureCall;
  readonly statement: PreparedStatement;
}

/** Readings of about so many kibibytes are known at a time. */
const MOST_KIBIBYTES = 98_304;
/** What a reading and an entitlement of it take at least, with one grant. */
const READING_KIBIBYTES = 4;
const ENTITLEMENT_KIBIBYTES = 8;
const HOUR_NANOSECONDS = 3_600_000_000_000n;
/** A reading that asks for more figures is not worth knowing. */
const MOST_FIGURES = 200;

/**
 * What this process knows of entitlements, so that a question about now takes one statement: it says whether the inputs are
 * as they were, and how much was used (docs/decisions/0134). Where they are not, all is loaded again.
 */
export class Readings {
  readonly #known = new LRUCache<string, Known>({ maxSize: MOST_KIBIBYTES, sizeCalculation: sizeOf });
  readonly #parts: ReadingParts;

  constructor(parts: ReadingParts) {
    this.#parts = parts;
  }

  /** Answers for now; every accepted event of the current usage period counts. */
  async answer(question: ReadingQuestion): Promise<Result<Answer>> {
    const key = `${question.merchantId} ${question.text}`;
    const known = this.#known.get(key);
    const answer = (known && (await recalled(known, question))) ?? (await this.#opened(key, question));
    if (answer) return ok(answer);
    const { merchantId, database, signal } = question;
    const loaded = await database.transaction({ merchants: [merchantId] }, (tx) => load(this.#parts, tx, question), {
      signal,
    });
    if (!loaded.ok) return loaded;
    if (loaded.value.known) this.#known.set(key, loaded.value.known);
    else this.#known.delete(key);
    return ok(loaded.value.answer);
  }

  /** Takes the inputs from one statement and the answer from a second one, which says whether they hold. */
  async #opened(key: string, question: ReadingQuestion): Promise<Answer | null> {
    const opened = await question.open?.();
    if (!opened) return null;
    const { reading, loaded, nextGrants } = opened;
    const entitlements: KnownEntitlement[] = [];
    for (const [place, of] of loaded.entries()) {
      const now = of.entitlement.clock_id === null ? question.now : of.at; // the database rounds to microseconds
      const prepared = await prepareDetail(of, now, nextGrants[place] ?? null);
      if (!prepared || prepared.scopes.some((scope) => mayCutHour(scope, of.entitlement))) return null;
      entitlements.push({ ...prepared, entitlement: of.entitlement, prepared });
    }
    const known = await knownOf(null, question.merchantId, reading, entitlements);
    const answer = known && (await recalled(known, question));
    if (known && answer) this.#known.set(key, known);
    return answer;
  }
}

/**
 * May an hour have values before a question and in it? Such an hour is read event by event, unless the full road, which
 * remembers what it read, has been taken before. There is nothing before the first hour of an entitlement, mostly.
 */
const mayCutHour = ({ from }: UsageScope, { active_from: start }: Pick<EntitlementRow, 'active_from'>): boolean =>
  isAfter(from, start) && from.epochNanoseconds % HOUR_NANOSECONDS !== 0n;

/** @returns null where something has changed, or nothing is prepared for now */
async function recalled(known: Known, { database, now }: ReadingQuestion): Promise<Answer | null> {
  const { entitlements, figures, statement, reading } = known;
  if (!entitlements.every((each) => each.entitlement.clock_id !== null || isPreparedFor(each, now))) return null;
  const [row] = (await database.callPrepared<NowRow>(askedAt(statement, now))) as [NowRow];
  if (row.state !== reading.state || !row.is_there || !row.holds) return null;
  const clocks = row.clock_times?.split(' ');
  const isPrepared = (each: KnownEntitlement, place: number) =>
    each.entitlement.clock_id === null || isPreparedFor(each, instantOf(clocks?.[place] as string));
  if (!entitlements.every(isPrepared)) return null;
  const found = figures.figuresOf(row);
  if (!found) return null;
  const reserved = row.reserved?.split(' ');
  const details: EntitlementDetail[] = [];
  let next = 0;
  for (const [place, { prepared }] of entitlements.entries()) {
    if (!prepared) continue;
    const own = found.slice(next, next + prepared.scopes.length);
    next += prepared.scopes.length;
    details.push(await prepared.detail(own, decimal(reserved?.[place] as string)));
  }
  return { customerId: reading.customerId, asked: reading.asked, details, budgets: row.budgets ?? [] };
}

const instantOf = (microseconds: string): Instant =>
  Temporal.Instant.fromEpochNanoseconds(BigInt(microseconds) * 1000n);

/** Reads everything, and prepares the next answer. `known` is null where that is not worth while. */
async function load(
  parts: ReadingParts,
  tx: Tx,
  { merchantId, find, signal, now }: ReadingQuestion,
): Promise<Result<{ answer: Answer; known: Known | null }>> {
  const found = await find(tx);
  if (!found.ok) return found;
  const { entitlements, customerId, customer, asked, isActiveOnly } = found.value;
  const answered = entitlements.filter((each) => !isActiveOnly || !isAfter(each.active_from, each.effective_now));
  const inputs = await loadInputs(
    tx,
    answered.map((entitlement) => ({ entitlement, at: entitlement.effective_now })),
  );
  const nextGrants = await selectNextGrants(tx, answered);
  const loaded: { of: Loaded; prepared: Prepared | null; now: Instant }[] = [];
  for (const [place, each] of inputs.entries()) {
    const effectiveNow = (answered[place] as TimedEntitlement).effective_now;
    const of = each.entitlement.feature_type === 'metered' ? await withHolding(tx, each) : each;
    const prepared = await prepareDetail(of, effectiveNow, nextGrants[place] ?? null);
    loaded.push({ of, prepared, now: effectiveNow });
  }
  const figures = await measureEach(
    tx,
    loaded.flatMap(({ prepared }) => prepared?.scopes ?? []),
  );
  const details: EntitlementDetail[] = [];
  for (const { of, prepared, now: own } of loaded)
    details.push(
      prepared
        ? await prepared.detail(figures.splice(0, prepared.scopes.length), of.reserved)
        : await presentLoaded(tx, of, { at: null, signal }, own),
    );
  const byId = new Map(loaded.map((each) => [each.of.entitlement.id, each]));
  const known = entitlements.map((entitlement): KnownEntitlement | null => {
    const own = byId.get(entitlement.id);
    if (own) return own.prepared && { ...own.prepared, entitlement, prepared: own.prepared };
    return { entitlement, from: entitlement.effective_now, until: entitlement.active_from, prepared: null };
  });
  const budgets = customer ? await parts.findSpentBudgets(tx, merchantId, customerId, now) : [];
  return ok({
    answer: { customerId, asked, details, budgets },
    known: known.includes(null) ? null : await knownOf(tx, merchantId, found.value, known as KnownEntitlement[]),
  });
}

async function knownOf(
  tx: Tx | null,
  merchantId: string,
  reading: Reading,
  entitlements: readonly KnownEntitlement[],
): Promise<Known | null> {
  const scopes = entitlements.flatMap(({ prepared }) => prepared?.scopes ?? []);
  const figures = scopes.length > MOST_FIGURES ? null : await figureCall(tx, scopes);
  if (!figures) return null;
  const { customerId, customer, state, asked } = reading;
  const kept = entitlements.flatMap(({ prepared }) => {
    const { snapshot, entitlement } = prepared?.loaded ?? {};
    return snapshot && entitlement
      ? [{ id: entitlement.id, subscriptionId: entitlement.subscription_id, at: snapshot.at, taken: snapshot.taken }]
      : [];
  });
  return {
    reading: { customerId, state, asked },
    entitlements: entitlements.map(({ entitlement: { id, clock_id }, from, until, prepared }) => ({
      entitlement: { id, clock_id },
      from,
      until,
      prepared,
    })),
    figures,
    statement: prepareNow({
      merchantId,
      customerId,
      customer,
      entitlements: entitlements.map(({ entitlement }) => entitlement),
      kept,
      figures,
    }),
  };
}

/** About how much memory a reading takes, in kibibytes. */
function sizeOf({ entitlements }: Known): number {
  const sizes = entitlements.map(({ prepared }) =>
    prepared ? ENTITLEMENT_KIBIBYTES + prepared.loaded.inputs.grants.length : 1,
  );
  return sizes.reduce((a, b) => a + b, READING_KIBIBYTES);
}
