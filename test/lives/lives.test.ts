import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditDatabase, recomputeDatabase } from '../../src/app.ts';
import { FakeProvider } from '../../src/payments/testing/fake-provider.ts';
import { isDeep } from '../support/cases.ts';
import { loginUrl, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { SEED } from '../support/seed.ts';
import { type Lived, live } from './drive.ts';
import { generate, type Switches } from './generate.ts';
import { judge } from './judge.ts';
import { Census, KINDS, kindsOf } from './kinds.ts';
import type { Life } from './life.ts';
import { asText, shrink } from './shrink.ts';

/**
 * Random lives of subscriptions through HTTP, compared with an oracle that shares no code with the program (README.md).
 * `LIVES` is their number, `SEED` the first seed, `LAYER` the only layer (`4`: mixed), `KIND` the only kinds of mixed
 * lives (`kinds.ts`), `CHANCE` that of each kind (0.45; fewer kinds make shorter lives), `KEEP` a folder for failed
 * lives. Without `SEED` each run has the same lives. A failure names the seed of each failed life. The run prints the
 * number of lives with each pair of kinds.
 */
const LIVES = Number(process.env.LIVES ?? (isDeep ? 100 : 10));
const { CHANCE, KEEP, KIND, LAYER, LIFE, RECOMPUTE } = process.env;
const SHRINKS = Number(process.env.SHRINKS ?? 100);
const MOST_SHRUNK = Number(process.env.SHRUNK ?? 3);
/** Kinds of steps that are left out because their effect is known to be wrong. */
const WITHOUT = new Set((process.env.WITHOUT ?? '').split(','));
const allowed = new Set(KINDS.filter((kind) => KIND?.split(',').includes(kind) ?? true));
/** Named kinds are in each life. */
const ofKinds = KIND === undefined ? undefined : 1;
const census = new Census();
const provider = new FakeProvider();
const SIDE_BY_SIDE = 6;
const KEPT = join(import.meta.dirname, 'kept');

let env: TestEnvironment;
/** The life of an invoice or a merchant. */
const livesOf = new Map<string, string>();
beforeAll(async () => {
  env = await openTestEnvironment({ audited: false, paymentProviders: [provider] });
});
afterAll(async () => {
  console.info(`lives by kinds, and by pairs of kinds:\n${census}`);
  await env.close();
});

/** The layers, with their shares of the lives: a mixed one takes as long as twenty others. */
const LAYERS: readonly (Switches & { readonly share: number })[] = [
  { layer: 1, share: 0.2 },
  { layer: 2, share: 0.2 },
  { layer: 3, share: 0.14 },
  { layer: 3, isGranted: true, share: 0.2 },
  { layer: 4, share: 0.04 },
  { layer: 5, share: 0.12 },
  { layer: 6, share: 0.1 },
];
const isAsked = (layer: number): boolean => layer === (KIND === undefined ? Number(LAYER ?? layer) : 4);
const asked = LAYERS.filter(({ layer }) => isAsked(layer));
const all = asked.reduce((sum, { share }) => sum + share, 0);
const layers = asked.map(({ share, ...switches }) => ({ ...switches, count: Math.ceil((LIVES * share) / all) }));

async function liveAndJudge(life: Life): Promise<{ faults: string[]; lived?: Lived }> {
  try {
    const lived = await live(env, life, provider);
    return { faults: [...judge(life, lived), ...(await recomputed(life, lived))], lived };
  } catch (thrown) {
    return { faults: [`thrown: ${(thrown as Error).stack}`] };
  }
}

/** Invoices that come out otherwise from the events. `RECOMPUTE=1` asks, and so does a life that failed by that. */
async function recomputed({ isRecomputed }: Life, { merchantId }: Lived): Promise<string[]> {
  if (RECOMPUTE !== '1' && !isRecomputed) return [];
  const { differing } = await recomputeDatabase(loginUrl(env.url), { merchants: [merchantId] });
  return differing.map(({ invoiceId, differences }) => `recompute: ${invoiceId} ${differences.join('; ')}`);
}

const kindOf = (fault = ''): string => fault.split(/[ :]/)[0] as string;

/** The smallest life that fails as this one does, and how. */
async function shrunk(life: Life, kind: string): Promise<string> {
  const fails = async (each: Life) => (await liveAndJudge(each)).faults.some((fault) => kindOf(fault) === kind);
  const smallest = await shrink(life, fails, SHRINKS);
  return `${(await liveAndJudge(smallest)).faults.join('\n')}\n${asText(smallest)}`;
}

/** Each work by as many as there may be at once. */
async function each<Thing>(things: readonly Thing[], work: (thing: Thing) => Promise<void>): Promise<void> {
  const left = [...things];
  const next = async (): Promise<void> => {
    for (let thing = left.shift(); thing !== undefined; thing = left.shift()) await work(thing);
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, next));
}

it.each(LIFE === undefined ? layers : [])(
  'a random life (layer $layer) is billed what it owes',
  {
    timeout: 36_000_000,
  },
  async ({ count, ...switches }) => {
    const name = `${switches.layer}${switches.isGranted ? 'g' : ''}`;
    const failing: string[] = [];
    await each(
      Array.from({ length: count }, (_, index) => SEED + index),
      async (seed) => {
        const whole = generate(seed, switches, allowed, CHANCE === undefined ? ofKinds : Number(CHANCE));
        const life = { ...whole, steps: whole.steps.filter((step) => !WITHOUT.has(step.do)) };
        const { faults, lived } = await liveAndJudge(life);
        if (lived) census.add(kindsOf(life, lived.deeds));
        for (const id of [lived?.merchantId ?? '', ...(lived?.invoices ?? []).map(({ id }) => id)])
          livesOf.set(id, `layer ${name}, seed ${seed}`);
        if (faults.length === 0) return;
        const isShrunk = failing.push(`layer ${name}, seed ${seed}: ${faults[0]}`) <= MOST_SHRUNK;
        const text = isShrunk ? await shrunk(life, kindOf(faults[0])) : `${faults.join('\n')}\n${asText(life)}`;
        if (isShrunk) failing.push(text);
        if (KEEP === undefined) return;
        mkdirSync(KEEP, { recursive: true });
        writeFileSync(join(KEEP, `${name}-${seed}.txt`), text);
      },
    );
    expect(failing.join('\n\n'), `${count} lives of layer ${name} from seed ${SEED}`).toBe('');
  },
);

const kept = isDeep ? readdirSync(KEPT).map((file) => join(KEPT, file)) : [];
const files = LIFE === undefined ? kept : [LIFE];
describe.runIf(files.length > 0)('a life that failed once', () => {
  it.each(files)('%s', { timeout: 600_000 }, async (file) => {
    const text = readFileSync(file, 'utf8');
    const life: Life = JSON.parse(text.slice(text.indexOf('{\n')));
    const { faults, lived } = await liveAndJudge(life);
    if (LIFE !== undefined && lived) console.info(shownOf(lived));
    expect(faults.join('\n')).toBe('');
  });
});

/** The invoices of a life, for people. */
const shownOf = ({ invoices, notes, refused, deeds }: Lived): string =>
  [
    ...deeds.map(({ step, at }) => `${at} ${JSON.stringify(step)}`),
    `refused: ${refused.join(', ')}`,
    ...invoices.flatMap(({ id, kind, billingCadence, periodStart, periodEnd, status, grandTotal, issuedAt, lines }) => [
      `${id} ${kind} ${billingCadence} ${periodStart}/${periodEnd} ${status} ${grandTotal} issued ${issuedAt}`,
      ...lines.map(
        (line: Record<string, string>) =>
          `    ${line.type} ${line.invoiceDisplayName} ${line.periodStart}/${line.periodEnd} ` +
          `${line.quantity} ${line.totalPrice} + ${line.totalTax}`,
      ),
    ]),
    ...notes.map((note) => `note ${JSON.stringify(note)}`),
  ].join('\n');

it('the auditor finds nothing in what lives left behind', { timeout: 3_600_000 }, async () => {
  const { violations } = await auditDatabase(loginUrl(env.url));
  const of = (id: string) => livesOf.get(id) ?? 'a life that was shrunk or kept';
  expect(
    violations.map(({ examples, ...each }) => ({
      ...each,
      examples: examples.map((example) => ({ ...example, of: of(example.merchantId) })),
    })),
  ).toEqual([]);
});
