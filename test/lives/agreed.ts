import { type History, type Known, NEVER, type Span, type Version } from './history.ts';
import { isCounted, type Life, type Override, type Plan, type Price, type Properties } from './life.ts';

/** A life in which each negotiated price is a price of its own, in a plan of its own for the time of its window. */
export interface Agreed {
  readonly life: Life;
  readonly histories: readonly History[];
  /** For each price the one of the catalog. */
  readonly listed: readonly number[];
}

/**
 * Replaces negotiated prices by prices (commercial.md §1: a window is what domain.md says of a replaced price). Terms
 * that go on without a gap are one price; after a gap they are another one.
 */
export function agreedIn(life: Life, histories: readonly History[]): Agreed {
  const prices: Price[] = [...life.prices];
  const plans: Plan[] = [...life.plans];
  const listed = prices.map((_, index) => index);
  const known = new Map<string, number>();
  const planOf = (plan: number, replaced: ReadonlyMap<number, number>): number => {
    if (replaced.size === 0) return plan;
    const key = `${plan} ${JSON.stringify([...replaced])}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const { prices: own, ...rest } = life.plans[plan] as Plan;
    plans.push({ ...rest, prices: own.map((price) => replaced.get(price) ?? price) });
    known.set(key, plans.length - 1);
    return plans.length - 1;
  };
  const made = histories.map((history) => {
    /** What is said of each price in the piece of time before, and the price that stands for it. */
    let before = new Map<number, { readonly said: string; readonly as: number }>();
    const versions = piecesOf(life, history).map(({ version, held }) => {
      const now = new Map<number, { said: string; as: number }>();
      for (const override of held) {
        const said = saidOf(override);
        const same = before.get(override.price);
        if (same?.said !== said) {
          prices.push(agreedPrice(life.prices[override.price] as Price, override));
          listed.push(override.price);
        }
        now.set(override.price, { said, as: same?.said === said ? same.as : prices.length - 1 });
      }
      before = now;
      const replaced = new Map([...now].map(([price, { as }]) => [price, as] as const));
      const quantities = [...version.quantities].map(([price, many]) => [replaced.get(price) ?? price, many] as const);
      const termsOf = (price: number) => {
        const own = listed[price] as number;
        if (!(life.plans[version.plan] as Plan).prices.includes(own)) return null;
        return { agreed: now.get(own)?.said, quantity: version.quantities.get(own) };
      };
      return { ...version, plan: planOf(version.plan, replaced), quantities: new Map(quantities), termsOf };
    });
    const known = (price: number, span: Span) => knownIn(life, history, listed[price] as number, span);
    return { ...history, versions, known };
  });
  return { life: { ...life, prices, plans }, histories: made, listed };
}

/** What commitments of all subscriptions agree while they hold: a subscription's own prices hold before it. */
const committedIn = (life: Life, sub: string): Override[] =>
  life.steps.flatMap((step) =>
    step.do === 'commitAll' && isCounted(life, step, sub)
      ? (step.overrides ?? []).map((each) => ({ ...each, to: step.ends.at(-1) as number }))
      : [],
  );

/** The versions of a history, cut at the bounds of windows, each with the overrides that hold in it. */
function piecesOf(life: Life, { sub, versions }: History): { version: Version; held: readonly Override[] }[] {
  let standing: readonly Override[] = [];
  const committed = committedIn(life, sub);
  return versions.flatMap((version, place) => {
    const earlier = versions.slice(0, place).filter(({ from }) => from === version.from);
    const said = [...earlier, version].findLast(({ overrides }) => overrides !== undefined)?.overrides;
    const isLastOfInstant = versions[place + 1]?.from !== version.from;
    const own = (said ?? standing).filter(({ price }) => (life.plans[version.plan] as Plan).prices.includes(price));
    if (isLastOfInstant) standing = own;
    const end = versions[place + 1]?.from ?? NEVER;
    const all = [...own, ...committed.filter(({ price }) => (life.plans[version.plan] as Plan).prices.includes(price))];
    const bounds = all.flatMap(({ from = 0, to = NEVER }) => [from, to]).filter((at) => version.from < at && at < end);
    const starts = [...new Set([version.from, ...bounds])].toSorted((a, b) => a - b);
    return starts.map((from, piece) => ({
      version: { ...version, from, saidFrom: version.from, ...(piece > 0 && { proration: 'second' as const }) },
      held: all
        .filter((each) => (each.from ?? -NEVER) <= from && from < (each.to ?? NEVER))
        .filter(({ price }, turn, those) => those.findIndex((each) => each.price === price) === turn),
    }));
  });
}

/**
 * The parts of a time by the moment since when the terms of a price for them were known as they are in the end: what
 * was billed in advance on other terms is credited, and billed anew.
 */
function knownIn(life: Life, history: History, price: number, span: Span): Known[] {
  // A change that is scheduled is nothing before its time.
  const stages = history.versions.map(({ madeAt, from }, place) => ({
    since: place === 0 ? madeAt : Math.max(madeAt, from),
    said: madeAt,
    pieces: piecesOf(life, { ...history, versions: history.versions.slice(0, place + 1) }),
  }));
  const termsAt = (pieces: ReturnType<typeof piecesOf>, at: number): string => {
    const { version, held } =
      pieces.findLast((each) => each.version.from <= at) ?? (pieces[0] as (typeof pieces)[number]);
    const override = held.find((each) => each.price === price);
    const isHeld = (life.plans[version.plan] as Plan).prices.includes(price);
    return isHeld ? JSON.stringify([version.quantities.get(price), override && saidOf(override)]) : '';
  };
  const bounds = stages.flatMap(({ pieces }) => pieces.map(({ version }) => version.from));
  const starts = [...new Set([span.from, ...bounds.filter((at) => span.from < at && at < span.to)])];
  const parts = starts
    .toSorted((a, b) => a - b)
    .map((from, place, all) => {
      const terms = stages.map(({ pieces }) => termsAt(pieces, from));
      const last = terms.findLastIndex((each, stage) => each !== terms[stage - 1]);
      const { since, said } = stages[last] ?? { since: history.madeAt, said: history.madeAt };
      return { from, to: all[place + 1] ?? span.to, since, said };
    });
  const merged: Known[] = [];
  for (const part of parts) {
    const before = merged.at(-1);
    if (before?.since === part.since && before.said === part.said)
      merged[merged.length - 1] = { ...before, to: part.to };
    else merged.push(part);
  }
  return merged;
}

const MONEY = [
  'unitPrice',
  'flatPrice',
  'price',
  'percentage',
  'fixed',
  'minCharge',
  'maxCharge',
  'min',
  'max',
  'default',
];

/** All that an override says of its price. */
const saidOf = ({ multiplier, properties, minimum, maximum }: Override): string =>
  JSON.stringify([multiplier, properties, minimum, maximum]);

/** The price that an override agrees: a bound that it names is as it says, another one is the list's, scaled. */
function agreedPrice(price: Price, { multiplier, properties, ...said }: Override): Price {
  const bound = (own: string | undefined, listed: string | undefined): string | undefined => {
    if (own !== undefined) return own === 'none' ? undefined : own;
    return listed === undefined || multiplier === undefined ? listed : product(listed, multiplier);
  };
  const [minimum, maximum] = [bound(said.minimum, price.minimum), bound(said.maximum, price.maximum)];
  const { minimum: _, maximum: __, ...rest } = price;
  return {
    ...rest,
    properties: properties ?? (multiplier ? (scaled(price.properties, multiplier) as Properties) : price.properties),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
  };
}

/** Properties with each amount of money multiplied. */
export function scaled(value: unknown, factor: string): unknown {
  if (Array.isArray(value)) return value.map((each) => scaled(each, factor));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      MONEY.includes(name) ? product(inner as string, factor) : scaled(inner, factor),
    ]),
  );
}

/** The product of two decimal texts, with all its digits. */
function product(one: string, other: string): string {
  const digitsOf = (text: string) => text.split('.')[1]?.length ?? 0;
  const digits = digitsOf(one) + digitsOf(other);
  const whole = BigInt(one.replace('.', '')) * BigInt(other.replace('.', ''));
  const text = whole.toString().padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
