import { LRUCache } from 'lru-cache';
import type { Database, Tx } from '../../db/index.ts';
import { decimal, ZERO } from '../../kernel/decimal.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { type Instant, isAfter, latest } from '../../kernel/time.ts';
import { figureCall, measureEach } from '../../metering/index.ts';
import type { EntitlementDependencies, SpentBudget } from '../entitlement/dependencies.ts';
import type { CountedEntitlement } from '../entitlement/entitlement.ts';
import type { EntitlementDetailReply } from '../entitlement/schemas.ts';
import { type Loaded, loadedOf, loadInputs } from '../inputs/inputs.ts';
import { countsAsThen } from '../inputs/snapshot.ts';
import { withHolding } from '../inputs/snapshots.ts';
import type { AskedFeature } from '../reading/access.ts';
import { toLoadedReply } from '../reading/present.ts';
import type { TimedEntitlement } from '../reading/reading.sql.ts';
import {
  type NowAnswer,
  type OpeningOf,
  selectNextGrants,
  selectNow,
  selectOpenings,
  type WrittenQuestion,
  writtenQuestion,
} from './cache.sql.ts';
import { Joined } from './joined.ts';
import { AHEAD, isPreparedFor, type Prepared, prepareDetail } from './prepared.ts';

/** The entitlements of one customer to read: some with an answer, and others only until their next change. */
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
  readonly asked?: readonly AskedFeature[] | undefined;
}

export interface Answer {
  readonly customerId: string;
  readonly asked: readonly AskedFeature[] | undefined;
  readonly details: readonly EntitlementDetailReply[];
  /** Of the customer, where the question is about it. */
  readonly budgets: readonly SpentBudget[];
}

export type ReadingDependencies = Pick<EntitlementDependencies, 'findSpentBudgets'>;

/** The sender of a question, and its subject. */
export interface ReadingQuestion {
  readonly database: Database;
  readonly merchantId: string;
  /** Questions with the same text have the same `find`. */
  readonly text: string;
  /** What `find` finds, to be opened with all inputs in one statement. Absent: it is found first. */
  readonly opens?: OpeningOf;
  /** Finds the entitlements to read. A refusal is returned unchanged. */
  readonly find: (tx: Tx) => Promise<Result<Reading>>;
  /** Wall time. */
  readonly now: Instant;
  readonly signal: AbortSignal;
}

/** An entitlement of a reading that is known. */
interface KnownEntitlement extends Pick<Prepared, 'from' | 'until'> {
  readonly clockId: string | null;
  /** Null: it is not answered. */
  readonly prepared: Prepared | null;
}

/** An entitlement that becomes known. */
interface OpenedEntitlement extends KnownEntitlement {
  readonly id: string;
  /** Null: it is not answered. */
  readonly loaded: Loaded | null;
}

/** A reading of which nothing but the figures is missing. */
interface Known {
  readonly reading: Pick<Reading, 'customerId' | 'state' | 'asked'>;
  readonly entitlements: readonly KnownEntitlement[];
  question: WrittenQuestion;
  /** How much of a statement it takes. */
  readonly weight: number;
}

/** A known reading that is asked about. */
interface KnownQuestion {
  readonly known: Known;
  readonly now: Instant;
  readonly weight: number;
}

/** Readings of about so many kibibytes are known at a time. */
const MOST_KIBIBYTES = 98_304;
/** The least memory of a reading, and that of its entitlements beside their grants. */
const READING_KIBIBYTES = 3;
const METERED_KIBIBYTES = 4;
const OTHER_KIBIBYTES = 1;
/** A reading that asks for more figures is not worth knowing. */
const MOST_FIGURES = 200;
/** How much of a statement an opening takes. */
const OPENING_WEIGHT = 10;

/**
 * The entitlements that this process knows. A question about now takes one statement: it checks for changed inputs, and
 * reads the usage (docs/decisions/0134). After a change, all is loaded again.
 */
export class Readings {
  readonly #known = new LRUCache<string, Known>({ maxSize: MOST_KIBIBYTES, sizeCalculation: sizeOf });
  readonly #openings = new Joined(openTogether);
  readonly #now = new Joined(answerTogether);
  readonly #parts: ReadingDependencies;

  constructor(dependencies: ReadingDependencies) {
    this.#parts = dependencies;
  }

  /** Answers for now; every accepted event of the current usage period counts. */
  async answer(question: ReadingQuestion): Promise<Result<Answer>> {
    const recalled = await this.#recalled(question);
    return recalled ? ok(recalled) : this.#reload(question);
  }

  /** Answers many questions, in their order. The questions about cached entitlements take one statement. */
  async answerEach(questions: readonly ReadingQuestion[]): Promise<Result<Answer>[]> {
    const recalled = await Promise.all(questions.map((question) => this.#recalled(question)));
    const answers: Result<Answer>[] = [];
    for (const [place, question] of questions.entries()) {
      const answer = recalled[place];
      answers.push(answer ? ok(answer) : await this.#reload(question));
    }
    return answers;
  }

  /** The answer from cached entitlements; null: the cache does not have them. */
  async #recalled(question: ReadingQuestion): Promise<Answer | null> {
    const known = this.#known.get(keyOf(question));
    return known ? this.#recall(known, question) : null;
  }

  #recall(known: Known, { database, merchantId, now }: ReadingQuestion): Promise<Answer | null> {
    return this.#now.ask(database, merchantId, { known, now, weight: known.weight });
  }

  /** Reads unknown or changed entitlements from the database, and answers. */
  async #reload(question: ReadingQuestion): Promise<Result<Answer>> {
    const key = keyOf(question);
    const answer = await this.#opened(key, question);
    if (answer) return ok(answer);
    const { merchantId, database, signal } = question;
    const loaded = await database.transaction({ merchants: [merchantId] }, (tx) => load(this.#parts, tx, question), {
      signal,
      byKeys: 'one thing',
    });
    if (!loaded.ok) return loaded;
    if (loaded.value.known) this.#known.set(key, loaded.value.known);
    else this.#known.delete(key);
    return ok(loaded.value.answer);
  }

  /** Takes the inputs from one statement and the answer from a second one, which says whether they hold. */
  async #opened(key: string, question: ReadingQuestion): Promise<Answer | null> {
    const { database, merchantId, opens } = question;
    if (!opens) return null;
    const asked = { opens, now: question.now, weight: OPENING_WEIGHT };
    const { opening, wall } = await this.#openings.ask(database, merchantId, asked);
    if (!opening) return null;
    const isOfOne = 'entitlementId' in opens;
    const entitlements: OpenedEntitlement[] = [];
    for (const { entitlement, at, inputs } of opening.entitlements) {
      const now = entitlement.clockId === null ? wall : at; // the database rounds to microseconds
      if (!isOfOne && isAfter(entitlement.activeFrom, now)) {
        entitlements.push(unanswered(entitlement, now));
        continue;
      }
      const loaded = await loadedOf({ entitlement, at }, inputs);
      const prepared = countsAsThen(loaded) ? await prepareDetail(loaded, now, null) : null;
      if (!prepared) return null;
      entitlements.push(openedOf(loaded, prepared));
    }
    const customer = isOfOne ? null : { externalId: 'externalId' in opens.customer ? opens.customer.externalId : null };
    const reading = { ...opening, customer, asked: opening.asked ?? undefined };
    const known = await knownOf(database, reading, entitlements);
    const answer = known && (await this.#recall(known, { ...question, now: wall }));
    if (known && answer) this.#known.set(key, known);
    return answer;
  }
}

const openedOf = (loaded: Loaded, prepared: Prepared): OpenedEntitlement => {
  const { id, clockId } = loaded.entitlement;
  return { id, clockId, from: prepared.from, until: prepared.until, loaded, prepared };
};

/** One that has not begun. */
const unanswered = ({ id, clockId, activeFrom }: CountedEntitlement, now: Instant): OpenedEntitlement => ({
  ...{ id, clockId, from: now, until: activeFrom },
  ...{ loaded: null, prepared: null },
});

/** Something to open. */
interface OpeningQuestion {
  readonly opens: OpeningOf;
  readonly now: Instant;
  readonly weight: number;
}

/** Opens many, all at the time of the latest question, in one statement. */
async function openTogether(database: Database, merchantId: string, questions: readonly OpeningQuestion[]) {
  const wall = questions.map(({ now }) => now).reduce(latest);
  const asked = questions.map(({ opens }) => opens);
  const openings = await selectOpenings(database, merchantId, wall, AHEAD, asked);
  return openings.map((opening) => ({ opening, wall }));
}

const keyOf = ({ merchantId, text }: ReadingQuestion): string => `${merchantId} ${text}`;

/**
 * Answers questions of one merchant from what is known, all at the time of the latest, in one statement. Those about
 * the same reading have the same answer.
 * @returns for each null where something has changed, or nothing is prepared for that time
 */
async function answerTogether(
  database: Database,
  merchantId: string,
  questions: readonly KnownQuestion[],
): Promise<(Answer | null)[]> {
  const wall = questions.map(({ now }) => now).reduce(latest);
  const isPrepared = ({ entitlements }: Known) =>
    entitlements.every((each) => each.clockId !== null || isPreparedFor(each, wall));
  const asked = [...new Set(questions.map(({ known }) => known))].filter(isPrepared);
  const found = new Map<Known, Answer | null>();
  if (asked.length > 0) {
    const written = asked.map(({ question }) => question);
    const answers = await selectNow(database, merchantId, wall, written);
    for (const [place, known] of asked.entries()) {
      const answer = answers[place] as NowAnswer;
      found.set(known, await recalled(known, answer));
      const figures = answer.hasReadHours ? await figureCall(database, known.question.figures.scopes) : null;
      if (figures) known.question = { ...known.question, figures };
    }
  }
  return questions.map(({ known }) => found.get(known) ?? null);
}

/** @returns null where something has changed, or nothing is prepared for the time of a clock */
async function recalled({ entitlements, reading }: Known, now: NowAnswer): Promise<Answer | null> {
  if (now.state !== reading.state || now.figures === null) return null;
  const details: EntitlementDetailReply[] = [];
  let [figure, clock, held] = [0, 0, 0];
  for (const each of entitlements) {
    const { prepared } = each;
    if (each.clockId !== null) {
      const time = now.clockTimes[clock];
      clock += 1;
      if (typeof time !== 'string' || !isPreparedFor(each, instantOf(time))) return null;
    }
    if (!prepared) continue;
    const own = now.figures.slice(figure, figure + prepared.scopes.length);
    figure += prepared.scopes.length;
    const reserved = prepared.isMetered ? now.reserved[held] : null;
    if (prepared.isMetered) held += 1;
    details.push(await prepared.detail(own, typeof reserved === 'string' ? decimal(reserved) : ZERO));
  }
  return { customerId: reading.customerId, asked: reading.asked, details, budgets: now.budgets };
}

const instantOf = (microseconds: string): Instant =>
  Temporal.Instant.fromEpochNanoseconds(BigInt(microseconds) * 1000n);

/** An entitlement that was read beside others. */
interface ReadOne {
  readonly of: Loaded;
  /** Null: its next answer is not prepared. */
  readonly prepared: Prepared | null;
  readonly detail: EntitlementDetailReply;
}

/**
 * Some entitlements of one merchant as they are now, in their order: the usage of all is measured together.
 * @param options `withoutReservations`: what they hold counts as left
 */
export async function readTogether(
  tx: Tx,
  entitlements: readonly TimedEntitlement[],
  { signal, withoutReservations }: { signal?: AbortSignal; withoutReservations?: boolean },
): Promise<ReadOne[]> {
  const inputs = await loadInputs(
    tx,
    entitlements.map((entitlement) => ({ entitlement, at: entitlement.effectiveNow })),
  );
  const nextGrants = await selectNextGrants(tx, entitlements);
  const loaded: { of: Loaded; prepared: Prepared | null; now: Instant }[] = [];
  for (const [place, each] of inputs.entries()) {
    const { effectiveNow } = entitlements[place] as TimedEntitlement;
    const held = each.entitlement.featureType === 'metered' ? await withHolding(tx, each) : each;
    const of = withoutReservations ? { ...held, reserved: ZERO } : held;
    const prepared = await prepareDetail(of, effectiveNow, nextGrants[place] ?? null);
    loaded.push({ of, prepared, now: effectiveNow });
  }
  const figures = await measureEach(
    tx,
    loaded.flatMap(({ prepared }) => prepared?.scopes ?? []),
  );
  const read: ReadOne[] = [];
  for (const { of, prepared, now } of loaded) {
    const detail = prepared
      ? await prepared.detail(figures.splice(0, prepared.scopes.length), of.reserved)
      : await toLoadedReply(tx, of, { at: null, signal }, now);
    read.push({ of, prepared, detail });
  }
  return read;
}

/** Reads everything, and prepares the next answer. `known` is null where that is not worth while. */
async function load(
  dependencies: ReadingDependencies,
  tx: Tx,
  { find, signal, now }: ReadingQuestion,
): Promise<Result<{ answer: Answer; known: Known | null }>> {
  const found = await find(tx);
  if (!found.ok) return found;
  const { entitlements, customerId, customer, asked, isActiveOnly } = found.value;
  const answered = entitlements.filter((each) => !isActiveOnly || !isAfter(each.activeFrom, each.effectiveNow));
  const together = await readTogether(tx, answered, { signal });
  const details = together.map(({ detail }) => detail);
  const byId = new Map(together.map((each) => [each.of.entitlement.id, each]));
  const opened = entitlements.map((entitlement): OpenedEntitlement | null => {
    const own = byId.get(entitlement.id);
    return own ? own.prepared && openedOf(own.of, own.prepared) : unanswered(entitlement, entitlement.effectiveNow);
  });
  const budgets = customer ? await dependencies.findSpentBudgets(tx, customerId, now) : [];
  return ok({
    answer: { customerId, asked, details, budgets },
    known: opened.includes(null) ? null : await knownOf(tx, found.value, opened as OpenedEntitlement[]),
  });
}

async function knownOf(
  constants: Pick<Tx, 'constant'>,
  reading: Pick<Reading, 'customerId' | 'customer' | 'state' | 'asked'>,
  entitlements: readonly OpenedEntitlement[],
): Promise<Known | null> {
  const scopes = entitlements.flatMap(({ prepared }) => prepared?.scopes ?? []);
  const figures = scopes.length > MOST_FIGURES ? null : await figureCall(constants, scopes);
  if (!figures) return null;
  const { customerId, customer, state, asked } = reading;
  const kept = entitlements.flatMap(({ id, loaded }) => {
    const { snapshot, entitlement } = loaded ?? {};
    return snapshot && entitlement
      ? [{ id, subscriptionId: entitlement.subscriptionId, at: snapshot.at, taken: snapshot.taken }]
      : [];
  });
  const question = writtenQuestion({
    customerId,
    customer,
    held: entitlements.filter(({ prepared }) => prepared?.isMetered),
    clocks: entitlements.flatMap(({ clockId: clock }) => clock ?? []),
    kept,
    figures,
  });
  return {
    reading: { customerId, state, asked },
    entitlements: entitlements.map(({ clockId, from, until, prepared }) => ({ clockId, from, until, prepared })),
    question,
    weight: 1 + scopes.length,
  };
}

/** About how much memory a reading takes, in kibibytes. */
function sizeOf({ entitlements }: Known): number {
  const sizes = entitlements.map(({ prepared }) =>
    prepared?.isMetered ? METERED_KIBIBYTES + prepared.grantCount : OTHER_KIBIBYTES,
  );
  return sizes.reduce((a, b) => a + b, READING_KIBIBYTES);
}
