import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EventIds } from '../../src/metering/events/event-id.ts';
import { SEED } from '../support/seed.ts';
import { type Cluster, openCluster, VICTIMS, type Victim } from './cluster.ts';
import { type Journal, keyOf } from './journal.ts';
import { type RunningLoad, startLoad } from './running-load.ts';
import { FAULTLESS, judge, type StoredEvent } from './verdict.ts';
import { eventOf, type LoadOrder, naiveOf, scatter, textOf } from './workload.ts';
import {
  addCustomer,
  addLaterMetric,
  type CrashMerchant,
  callsOn,
  endSubscription,
  finalInvoice,
  keysOf,
  moveName,
  naiveFigures,
  openMerchant,
  toldFigures,
} from './world.ts';

/**
 * The promises of the intake under kill -9 (reliability I-01 to I-04, I-07, I-12, I-16). A load sends events and logs
 * the acknowledged ones outside of all killed processes. Meanwhile processes are killed in turn, customers appear and
 * change their names, meters are made, and a period is closed. `CRASH_ROUNDS=500` kills 500 times, on a database that
 * waits for its disk, and prints the progress. `SEED` chooses other kills. A seed repeats the choices of a run, not its
 * moments.
 */
const isLong = process.env.CRASH_ROUNDS !== undefined;
const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 10);
const MIDDLE = Math.floor(ROUNDS / 2);

const MERCHANTS = 3;
const NAMES = Math.max(1, Math.min(20, ROUNDS));
const SENDERS = 6;
/** Acknowledged between one kill and the next, at least. */
const EVENTS_PER_ROUND = 100;
const LONGEST_DELAY_MILLISECONDS = 120;

let cluster: Cluster;
let folder: string;
const merchants: CrashMerchant[] = [];
const loads: RunningLoad[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reckoner-journal-'));
  cluster = await openCluster({ waitsForDisk: isLong });
  merchants.push(...(await Promise.all(Array.from({ length: MERCHANTS }, (_, place) => openMerchant(cluster, place)))));
  await cluster.whole();
}, 240_000);
afterAll(async () => {
  for (const load of loads) load.kill();
  await cluster?.close();
  rmSync(folder, { recursive: true, force: true });
}, 120_000);

/** @param first the number of the first event: two loads send different ones */
const orderOf = (first: number): LoadOrder => ({
  addresses: cluster.addresses,
  merchants: merchants.map(({ apiKey, direct }) => ({ apiKey, customerId: direct.id })),
  names: NAMES,
  newest: Date.now(),
  first,
  senders: SENDERS,
  seed: SEED,
  journal: join(folder, `journal-${first}`),
});

const placeOf = (key: string): number => Number(key.slice(0, key.indexOf('/')));
const numberOf = (key: string): number => Number(key.slice(key.indexOf('/') + 1));
const numbersOf = (keys: readonly string[], place: number): number[] =>
  keys.filter((key) => placeOf(key) === place).map(numberOf);

/** The content of the database, with the names of the log. */
async function storedEvents(): Promise<StoredEvent[]> {
  const places = new Map<string, number>();
  for (const [place, { client }] of merchants.entries())
    places.set((await client.get('/v0/me')).body.organization.id, place);
  const [cipher] = await cluster.query<{ key: Uint8Array }>('select event_id_key() as key');
  const rows = await cluster.query<{ merchant: string; key: string; at: string; seq: string }>(
    `select merchant_id as merchant, idempotency_key as key, (at at time zone 'UTC')::text as at, seq from event`,
  );
  const ids = new EventIds(cipher?.key as Uint8Array).idsOf(rows);
  return rows.map(({ merchant, key }, index) => ({
    key: keyOf(places.get(merchant) ?? -1, Number(key.slice(1))),
    id: ids[index] as string,
  }));
}

/** Sends events again, many at a time and to each server. @returns the ids with which they are acknowledged. */
async function sendAgain(order: LoadOrder, keys: readonly string[]): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  const parts = [...Map.groupBy(keys, placeOf)].flatMap(([place, ofMerchant]) =>
    Array.from({ length: Math.ceil(ofMerchant.length / 500) }, (_, part) => ({
      place,
      part: ofMerchant.slice(part * 500, part * 500 + 500),
    })),
  );
  for (const [turn, { place, part }] of parts.entries()) {
    const response = await fetch(`${order.addresses[turn % order.addresses.length]}/v0/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${merchants[place]?.apiKey}`, 'content-type': 'application/json' },
      body: `[${part.map((key) => textOf(order, place, numberOf(key))).join()}]`,
    });
    const { data } = (await response.json()) as { data: { id: string }[] };
    expect(response.status).toBe(202);
    for (const [index, key] of part.entries()) ids.set(key, data[index]?.id as string);
  }
  return ids;
}

const recipientOf = (order: LoadOrder, place: number, number: number): string => {
  const { direct, named } = merchants[place] as CrashMerchant;
  const { to } = eventOf(order, place, number);
  return (to === 'direct' ? direct.id : to === 'moving' ? to : named[to]?.id) ?? 'nobody';
};

/** Every answered figure must be that of these events, counted one by one: in all, by group and by hour. */
async function expectFigures(order: LoadOrder, keys: readonly string[]): Promise<void> {
  for (const [place, merchant] of merchants.entries()) {
    const events = numbersOf(keys, place).map((number) => naiveOf(order, place, number, 'any'));
    for (const { id, metric } of merchant.metrics)
      expect(await toldFigures(merchant, id), `${metric.aggregation} of ${metric.eventType}`).toEqual(
        naiveFigures(metric, events),
      );
  }
}

/** The same for each customer, with events before it or after it. */
async function expectCustomers(order: LoadOrder, keys: readonly string[]): Promise<void> {
  for (const [place, merchant] of merchants.entries()) {
    const { direct, named, metrics } = merchant;
    const { id, metric } = metrics[0] as (typeof metrics)[number];
    const bySubject = Map.groupBy(numbersOf(keys, place), (number) => recipientOf(order, place, number));
    for (const customer of [direct, ...named]) {
      const events = (bySubject.get(customer.id) ?? []).map((number) => naiveOf(order, place, number, customer.id));
      expect(await toldFigures(merchant, id, customer.id), customer.externalId).toEqual(naiveFigures(metric, events));
    }
  }
}

/**
 * An event for the name that moved is one of its two customers', and the former one's where it was acknowledged before.
 */
async function expectMoved(order: LoadOrder, keys: readonly string[], journal: Journal): Promise<void> {
  for (const [place, merchant] of merchants.entries()) {
    const moving = numbersOf(keys, place).filter((number) => eventOf(order, place, number).to === 'moving');
    const early = moving.filter(
      (number) => Number(journal.acknowledgedAt.get(keyOf(place, number))) < merchant.movedAt,
    );
    const [former = [], latter = []] = await Promise.all(merchant.movers.map(({ id }) => keysOf(merchant, id)));
    expect([...former, ...latter].toSorted()).toEqual(moving.map((number) => `k${number}`).toSorted());
    expect(early.map((number) => `k${number}`).filter((key) => !former.includes(key))).toEqual([]);
  }
}

/**
 * The quantity of the closed period equals its billed events by their outcome. All other events of the period are late.
 */
async function expectInvoices(order: LoadOrder, keys: readonly string[]): Promise<void> {
  for (const [place, merchant] of merchants.entries()) {
    const invoice = await finalInvoice(merchant);
    const { billed, late } = await callsOn(merchant, invoice);
    expect(invoice.lines.map(({ quantity }: { quantity: number }) => quantity)).toEqual(billed === 0 ? [] : [billed]);
    const inPeriod = numbersOf(keys, place)
      .map((number) => eventOf(order, place, number))
      .filter(({ to, type, at }) => to === 'direct' && type === 'call' && at >= Date.parse(invoice.periodStart));
    expect(billed + late).toBe(inPeriod.length);
  }
}

/** The events around a kill. */
async function meanwhile(merchant: CrashMerchant, round: number, victim: Victim): Promise<void> {
  if (merchant.named.length < NAMES) await addCustomer(merchant);
  if (victim === 'worker') await addLaterMetric(merchant);
  if (round === MIDDLE) {
    await moveName(merchant);
    await endSubscription(merchant);
  }
}

it(
  `nothing acknowledged is lost and nothing counts twice, over ${ROUNDS} times kill -9`,
  async () => {
    const began = performance.now();
    const say = (what: string) =>
      isLong && console.log(`${((performance.now() - began) / 1000).toFixed(1)} s: ${what}`);
    const order = orderOf(0);
    const load = startLoad(order);
    loads.push(load);
    for (let round = 0; round < ROUNDS; round += 1) {
      const victim = VICTIMS[round % VICTIMS.length] as Victim;
      await load.reaches(load.acknowledged() + EVENTS_PER_ROUND);
      const others = merchants.map((merchant) => meanwhile(merchant, round, victim));
      await sleep(scatter(SEED, round) % LONGEST_DELAY_MILLISECONDS);
      await cluster.kill(victim);
      await Promise.all(others);
      say(`${round + 1} of ${ROUNDS}, ${victim}, ${load.acknowledged()} acknowledged`);
    }
    await load.reaches(load.acknowledged() + EVENTS_PER_ROUND);
    const journal = await load.stop();
    await cluster.whole();

    const stored = await storedEvents();
    say(
      `seed ${SEED}, ${journal.sent.size} events sent, ${journal.acknowledged.size} acknowledged, ${stored.length} stored, ${JSON.stringify(Object.fromEntries(journal.refusals))}`,
    );
    expect(judge(journal, stored), `seed ${SEED}`).toEqual(FAULTLESS);
    expect(cluster.deaths()).toBe(0);
    expect([...journal.refusals.keys()].filter((why) => /^\d/.test(why) && why !== '503')).toEqual([]);
    expect(journal.refusals.size).toBeGreaterThan(0); // else no process was hit
    const before = stored.map(({ key }) => key);
    await expectFigures(order, before);
    await expectMoved(order, before, journal);

    // All clients repeat their requests, with an answer or without. Every event is stored once, under its first answer.
    const ids = await sendAgain(order, [...journal.sent]);
    const whole = await storedEvents();
    expect(judge(journal, whole)).toEqual(FAULTLESS);
    expect(new Map(whole.map(({ key, id }) => [key, id]))).toEqual(ids);
    const after = whole.map(({ key }) => key);
    await expectFigures(order, after);
    await expectCustomers(order, after);
    await expectMoved(order, after, journal);
    await expectInvoices(order, after);
    say('all of it is as it should be');
  },
  180_000 + ROUNDS * 20_000,
);

it('a database that answers before it has written its log loses what was acknowledged, and this is seen', async () => {
  await cluster.query('alter system set synchronous_commit = off');
  await cluster.query(`alter system set wal_writer_delay = '10s'`);
  await cluster.query(`alter system set wal_writer_flush_after = '1GB'`);
  await cluster.query('select pg_reload_conf()');
  const load = startLoad(orderOf(1_000_000_000));
  loads.push(load);
  await load.reaches(200);
  await cluster.kill('all of PostgreSQL');
  const journal = await load.stop();
  await cluster.whole();
  expect(judge(journal, await storedEvents()).lost.length).toBeGreaterThan(0);
}, 120_000);
