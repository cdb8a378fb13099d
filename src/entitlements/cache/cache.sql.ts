import { effectiveNowOf } from '../../clocks/index.ts';
import {
  allOf,
  arrayElements,
  type Database,
  filled,
  parseExactJson,
  sql,
  type Template,
  type Tx,
  template,
} from '../../db/index.ts';
import { ZERO } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import {
  type FigureAnswer,
  type FigureCall,
  type FigureColumns,
  type FigureFunction,
  type FigureParameter,
  figureParameters,
  joinFigures,
  type UsageFigure,
} from '../../metering/index.ts';
import type { SpentBudget } from '../entitlement/dependencies.ts';
import type { CountedEntitlement, EntitlementRow, FeatureType } from '../entitlement/entitlement.ts';
import type { InputRow } from '../inputs/inputs.sql.ts';
import type { AskedFeature } from '../reading/access.ts';
import { conditionsOf, type EntitlementFilters, type TimedEntitlement } from '../reading/reading.sql.ts';

/** Of whom access is asked for, and to what. */
export interface AccessOf {
  readonly customer: { readonly id: string } | { readonly externalId: string };
  readonly productId?: string | undefined;
  readonly featureKey?: string | undefined;
}

/** The question about known entitlements. */
export interface NowQuestion {
  readonly customerId: string;
  /**
   * The question is about the customer, who must not be deleted and must have this id of the merchant's (null: any).
   */
  readonly customer: { readonly externalId: string | null } | null;
  /** The entitlements of which reservations may hold something. */
  readonly held: readonly Pick<EntitlementRow, 'id' | 'clockId'>[];
  /** The clocks whose time is asked for. */
  readonly clocks: readonly string[];
  /** The snapshots that their balances are counted from. */
  readonly kept: readonly {
    readonly id: string;
    readonly subscriptionId: string | null;
    readonly at: Instant;
    readonly taken: string;
  }[];
  readonly figures: FigureCall;
}

/** A question with the elements of its arrays written out once. */
export interface WrittenQuestion {
  readonly figures: FigureCall;
  readonly lengths: { readonly held: number; readonly clocks: number; readonly kept: number };
  readonly texts: Readonly<Record<ArrayArgument, string>>;
}

/** The arrays that `entitlements_now` takes, in the order of its arguments. */
const ARRAYS = [
  'customers',
  'areAboutCustomers',
  'externals',
  'heldIds',
  'heldClocks',
  'clocks',
  'keptQuestions',
  'keptIds',
  'keptSubscriptions',
  'keptAts',
  'keptTakens',
] as const;
type ArrayArgument = Exclude<(typeof ARRAYS)[number], 'keptQuestions'>;
type Parameter = 'merchant' | 'wall' | (typeof ARRAYS)[number] | FigureParameter;

/** Writes a question out. */
export const writtenQuestion = ({
  customerId,
  customer,
  held,
  clocks,
  kept,
  figures,
}: NowQuestion): WrittenQuestion => ({
  figures,
  lengths: { held: held.length, clocks: clocks.length, kept: kept.length },
  texts: {
    customers: arrayElements([customerId]),
    areAboutCustomers: arrayElements([customer !== null]),
    externals: arrayElements([customer?.externalId ?? null]),
    heldIds: arrayElements(held.map(({ id }) => id)),
    heldClocks: arrayElements(held.map(({ clockId: clock }) => clock)),
    clocks: arrayElements(clocks),
    keptIds: arrayElements(kept.map(({ id }) => id)),
    keptSubscriptions: arrayElements(kept.map(({ subscriptionId }) => subscriptionId)),
    keptAts: arrayElements(kept.map(({ at }) => at)),
    keptTakens: arrayElements(kept.map(({ taken }) => taken)),
  },
});

/** The answer of the database to one question. */
export interface NowAnswer {
  /** Of all entitlements of the customer; null: the customer is not there, or a snapshot does not hold. */
  readonly state: string | null;
  /** Microseconds since 1970, for each clock that is asked for; null: there is none. */
  readonly clockTimes: readonly (string | null)[];
  /** For each entitlement of `held`; null: nothing. */
  readonly reserved: readonly (string | null)[];
  /** Of the customer, where the question is about it. */
  readonly budgets: readonly SpentBudget[];
  /** Null: roll-ups do not hold all events of one. */
  readonly figures: readonly UsageFigure[] | null;
  /** Hours were read event by event that the figures of another question would know. */
  readonly hasReadHours: boolean;
}

interface NowRow extends FigureColumns {
  readonly states: string;
  readonly lost: string | null;
  readonly clockTimes: string | null;
  readonly reserved: string | null;
  readonly budgets: readonly (SpentBudget & { readonly question: number })[] | null;
}

const templates = new Map<string, Template<Parameter>>();

/** The statement for figures of these functions. */
function templateFor(functions: readonly FigureFunction[]): Template<Parameter> {
  const name = ['entitlements now', ...functions].join(' ');
  const known = templates.get(name);
  if (known) return known;
  const made = template<Parameter>(
    name,
    sql`
    select n.*${figureParameters(functions, sql`m.merchant`)}
      from as_merchant(${'merchant'}) m (merchant)
     cross join lateral entitlements_now(m.merchant, ${'wall'}, ${sql.join(ARRAYS)}) n`,
  );
  templates.set(name, made);
  return made;
}

/**
 * Asks many questions of one merchant in one statement, which is a transaction of its own: all is of one moment.
 * @param wall wall time
 * @returns an answer for each question, in their order
 */
export async function selectNow(
  database: Database,
  merchantId: string,
  wall: Instant,
  questions: readonly WrittenQuestion[],
): Promise<NowAnswer[]> {
  const figures = joinFigures(questions.map((question) => question.figures));
  const values: Partial<Record<Parameter, string>> = { merchant: merchantId, wall: wall.toString(), ...figures.values };
  for (const argument of ARRAYS) values[argument] = `{${elementsOf(argument, questions)}}`;
  const [row] = (await database.callPrepared<NowRow>(filled(templateFor(figures.functions), values))) as [NowRow];
  return answersOf(questions, row, figures.answersOf(row));
}

const elementsOf = (argument: (typeof ARRAYS)[number], questions: readonly WrittenQuestion[]): string =>
  argument === 'keptQuestions'
    ? questions.flatMap(({ lengths }, place) => Array.from({ length: lengths.kept }, () => place + 1)).join()
    : questions.flatMap(({ texts }) => (texts[argument] === '' ? [] : [texts[argument]])).join();

function answersOf(questions: readonly WrittenQuestion[], row: NowRow, answers: readonly FigureAnswer[]): NowAnswer[] {
  const states = row.states.split(' ');
  const lost = new Set(row.lost?.split(' ').map(Number));
  const clockTimes = row.clockTimes?.split(' ') ?? [];
  const reserved = placed(row.reserved);
  let [clock, held] = [0, 0];
  return questions.map(({ lengths }, place) => {
    const state = states[place] as string;
    const [firstClock, firstHeld] = [clock, held];
    clock += lengths.clocks;
    held += lengths.held;
    return {
      state: state === '-' || lost.has(place + 1) ? null : state,
      clockTimes: clockTimes.slice(firstClock, clock).map((time) => (time === '-' ? null : time)),
      reserved: Array.from({ length: lengths.held }, (_, index) => reserved.get(firstHeld + index + 1) ?? null),
      budgets: row.budgets?.filter(({ question }) => question === place + 1) ?? [],
      ...(answers[place] as FigureAnswer),
    };
  });
}

/** Words that come in twos: a place and what stands there. */
function placed(text: string | null): ReadonlyMap<number, string> {
  const words = text?.split(' ') ?? [];
  const found = new Map<number, string>();
  for (let index = 0; index < words.length; index += 2) found.set(Number(words[index]), words[index + 1] as string);
  return found;
}

/** An entitlement as it is, with the state of all entitlements of its customer at the same moment. */
export interface StatedEntitlement extends TimedEntitlement {
  readonly state: string;
}

/** An entitlement of the merchant, at its effective now. */
export const selectStated = (tx: Tx, id: string, now: Instant): Promise<StatedEntitlement | undefined> =>
  tx.maybe<StatedEntitlement>(
    sql`
    select e.*, entitlements_state(e.merchant_id, e.customer_id) as state, ${effectiveNowOf('e', now)} as effective_now
      from entitlement e where e.merchant_id = ${tx.merchantId} and e.id = ${id}`,
    'stated entitlement',
  );

/** What is opened: a customer's access, or one entitlement, also one that has ended. */
export type OpeningOf = AccessOf | { readonly entitlementId: string };

/** A line of `entitlement_openings`. */
type OpenedFields = readonly [
  id: string,
  featureId: string,
  featureType: FeatureType,
  productId: string,
  planId: string | null,
  subscriptionId: string | null,
  isFromPlan: boolean,
  clockId: string | null,
  activeFrom: string,
  activeTo: string | null,
  isCanceled: boolean,
  billableMetricIds: readonly string[],
  metadata: EntitlementRow['metadata'],
  effectiveNow: string,
  featureKey: string,
  terms: InputRow['terms'],
  grants: InputRow['grants'],
  resets: InputRow['resets'],
  meters: InputRow['meters'],
  preceding: InputRow['preceding'],
  snapshotAt: string | null,
  snapshotState: unknown,
  snapshotTaken: string | null,
  pauses: EntitlementRow['pauses'],
];

/** An entitlement with all that its balance depends on beside usage and reservations. */
export interface OpenedEntitlement {
  readonly entitlement: CountedEntitlement;
  /** Its effective now. */
  readonly at: Instant;
  readonly inputs: InputRow;
}

/** The entitlements of a customer that are asked about, as they are. */
export interface Opening {
  readonly customerId: string;
  readonly state: string;
  /** The features of the key that is asked about; null: no key was given. */
  readonly asked: readonly AskedFeature[] | null;
  /** Oldest first. */
  readonly entitlements: readonly OpenedEntitlement[];
}

interface OpeningRow extends Omit<Opening, 'entitlements'> {
  readonly question: number;
  readonly opened: string | null;
}

/**
 * Opens many customers or entitlements of one merchant in one statement, which is a transaction of its own.
 * @param wall wall time
 * @param ahead grants that begin so soon are read too
 * @returns for each, in their order; undefined: there is no such customer or entitlement
 */
export async function selectOpenings(
  database: Database,
  merchantId: string,
  wall: Instant,
  ahead: Temporal.Duration,
  openings: readonly OpeningOf[],
): Promise<(Opening | undefined)[]> {
  const each = openings.map((of) => ('entitlementId' in of ? { ...of, customer: {} } : { ...of, entitlementId: null }));
  const rows = await database.call<OpeningRow>(
    'openings',
    sql`
    select o.*
      from as_merchant(${merchantId}) m (merchant)
     cross join lateral entitlement_openings(
       m.merchant, ${each.map(({ customer }) => ('id' in customer ? customer.id : null))},
       ${each.map(({ customer }) => ('externalId' in customer ? customer.externalId : null))},
       ${each.map(({ entitlementId }) => entitlementId)}, ${each.map((of) => ('productId' in of ? of.productId : null))},
       ${each.map((of) => ('featureKey' in of ? of.featureKey : null))}, ${wall}, ${ahead}) o`,
  );
  const found = new Map(rows.map((row) => [row.question, row]));
  return openings.map((_, place) => {
    const row = found.get(place + 1);
    if (!row) return undefined;
    const lines = row.opened === null ? [] : row.opened.split('\n');
    return { ...row, entitlements: lines.map((line) => openedEntitlement(merchantId, row.customerId, line)) };
  });
}

function openedEntitlement(merchantId: string, customerId: string, line: string): OpenedEntitlement {
  const [id, featureId, featureType, productId, planId, subscriptionId, isFromPlan, clockId, from, to, ...others] =
    parseExactJson(line) as OpenedFields;
  const [isCanceled, billableMetricIds, metadata, at, featureKey, terms, grants, resets, meters, ...last] = others;
  const [preceding, snapshotAt, snapshotState, snapshotTaken, pauses] = last;
  const owned = { merchantId, id, customerId, featureId, featureType, productId, planId, subscriptionId };
  const [activeFrom, activeTo] = [Temporal.Instant.from(from), instantOrNull(to)];
  const given = { isFromPlan, clockId, activeFrom, activeTo, isCanceled, billableMetricIds, pauses, metadata };
  return {
    entitlement: { ...owned, ...given },
    at: Temporal.Instant.from(at),
    inputs: {
      ...{ featureKey, terms, grants, resets, meters, preceding, reserved: ZERO },
      ...{ snapshotAt: instantOrNull(snapshotAt), snapshotState, snapshotTaken },
    },
  };
}

const instantOrNull = (text: string | null): Instant | null => (text === null ? null : Temporal.Instant.from(text));

/** The state of all entitlements of a customer. */
export const selectState = async (tx: Tx, customerId: string): Promise<string> => {
  const { state } = await tx.one<{ state: string }>(
    sql`select entitlements_state(${tx.merchantId}, ${customerId}) as state`,
  );
  return state;
};

/** Those of a customer that have not ended, each at its effective now, oldest first. */
export const selectUnended = (
  tx: Tx,
  filters: EntitlementFilters & { readonly customerId: string },
  now: Instant,
): Promise<TimedEntitlement[]> =>
  tx.rows<TimedEntitlement>(sql`
    select *, ${effectiveNowOf('entitlement', now)} as effective_now from entitlement
     where ${allOf([
       ...conditionsOf(tx.merchantId, filters),
       sql`(active_to is null or active_to > ${effectiveNowOf('entitlement', now)})`,
     ])}
     order by seq`);

/** When the next grant of each of some entitlements begins; null: none does. */
export async function selectNextGrants(tx: Tx, entitlements: readonly TimedEntitlement[]): Promise<(Instant | null)[]> {
  const rows = await tx.rows<{ at: Instant | null }>(
    sql`
    select (select min(g.effective_at) from entitlement_grant g
             where g.merchant_id = w.merchant and g.entitlement_id = w.id and g.effective_at > w.at) as at
      from unnest(${entitlements.map(({ merchantId }) => merchantId)}::text[],
                  ${entitlements.map(({ id }) => id)}::text[],
                  ${entitlements.map(({ effectiveNow }) => effectiveNow)}::timestamptz[])
                    with ordinality w (merchant, id, at, place)
     order by w.place`,
    'next grants',
  );
  return rows.map(({ at }) => at);
}
