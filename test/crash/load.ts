import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { keyOf, note } from './journal.ts';
import { type LoadOrder, scatter, textOf } from './workload.ts';

/** The regular report of the load about itself. */
export interface LoadReport {
  /** Events that were acknowledged, the first time each. */
  readonly acknowledged: number;
  readonly ended: boolean;
}

const REPORT_MILLISECONDS = 20;
/** Clients pause, so a load leaves the processor to restarted processes. */
const MOST_REST_MILLISECONDS = 10;
const AFTER_A_REFUSAL_MILLISECONDS = 100;
const PATIENCE_MILLISECONDS = 30_000;
/** Events that were sent a while ago, among which others are sent again. */
const REMEMBERED = 400;

/**
 * Sends events as clients with lost answers do: one at a time and in arrays, again with and without an answer, and the
 * same event at the same time from several clients. Logs the sent and the acknowledged events.
 */
export async function load(
  order: LoadOrder,
  report: (report: LoadReport) => void,
  isOver: () => boolean,
): Promise<void> {
  const journal = openSync(order.journal, 'a');
  const next = order.merchants.map(() => order.first);
  const recent = order.merchants.map((): number[] => []);
  const unanswered = order.merchants.map(() => new Set<number>());
  const known = order.merchants.map(() => new Set<number>());
  let acknowledged = 0;
  let draws = 0;
  const draw = (below: number): number => {
    draws += 1;
    return scatter(order.seed, draws) % below;
  };

  const fresh = (merchant: number, count: number): number[] =>
    Array.from({ length: count }, () => {
      const number = next[merchant] as number;
      next[merchant] = number + 1;
      const seen = recent[merchant] as number[];
      seen.push(number);
      if (seen.length > REMEMBERED) seen.shift();
      return number;
    });
  const again = (from: Iterable<number>, count: number): number[] => {
    const list = [...from];
    return Array.from({ length: Math.min(count, list.length) }, () => list[draw(list.length)] as number);
  };

  /** The content of one request. */
  const choose = (merchant: number): number[] => {
    const chance = draw(100);
    if (chance < 30) return fresh(merchant, 1);
    if (chance < 60) return fresh(merchant, 2 + draw(19));
    if (chance < 80)
      return [...again(unanswered[merchant] as Set<number>, 1 + draw(10)), ...fresh(merchant, 1 + draw(5))];
    return again(recent[merchant] as number[], 1 + draw(10)); // acknowledged, under way, or neither
  };

  const post = async (merchant: number, body: string): Promise<{ status: string; body: unknown }> => {
    const address = order.addresses[draw(order.addresses.length)];
    try {
      const answer = await fetch(`${address}/v0/events`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${order.merchants[merchant]?.apiKey}`,
          'content-type': 'application/json',
        },
        body,
        signal: AbortSignal.timeout(PATIENCE_MILLISECONDS),
      });
      return { status: String(answer.status), body: await answer.json() };
    } catch (error) {
      const { cause, name } = error as Error & { cause?: { code?: string } };
      return { status: cause?.code ?? name, body: null };
    }
  };

  const send = async (merchant: number, numbers: readonly number[]): Promise<boolean> => {
    note(journal, 'sent', ...numbers.map((number) => keyOf(merchant, number)));
    for (const number of numbers) if (!known[merchant]?.has(number)) unanswered[merchant]?.add(number);
    const texts = numbers.map((number) => textOf(order, merchant, number));
    const { status, body } = await post(merchant, texts.length === 1 ? (texts[0] as string) : `[${texts.join()}]`);
    if (status !== '202') {
      note(journal, 'refused', status);
      return false;
    }
    const ids = texts.length === 1 ? [body as { id: string }] : (body as { data: { id: string }[] }).data;
    note(
      journal,
      'acknowledged',
      Date.now(),
      ...numbers.map((number, place) => `${keyOf(merchant, number)}=${ids[place]?.id}`),
    );
    for (const number of numbers) {
      unanswered[merchant]?.delete(number);
      if (!known[merchant]?.has(number)) acknowledged += 1;
      known[merchant]?.add(number);
    }
    return true;
  };

  /** An acknowledged key with other content, which must be refused for ever. */
  const contradict = async (merchant: number): Promise<void> => {
    const number = (recent[merchant] as number[]).find((each) => known[merchant]?.has(each));
    if (number === undefined) return;
    const { status } = await post(merchant, textOf(order, merchant, number, true));
    if (status === '202') note(journal, 'overwritten', keyOf(merchant, number));
    else if (status !== '409') note(journal, 'refused', status);
  };

  /**
   * Most of the time, a client without an answer sends the same request again. The events of an abandoned request may
   * come again among other events.
   */
  const sender = async (place: number): Promise<void> => {
    for (let given: { merchant: number; numbers: number[] } | null = null; !isOver(); ) {
      const merchant: number = given?.merchant ?? (place + draw(order.merchants.length)) % order.merchants.length;
      const numbers: number[] = given?.numbers ?? choose(merchant);
      if (numbers.length === 0) continue;
      const sendings = draw(10) === 0 ? [send(merchant, numbers), send(merchant, numbers)] : [send(merchant, numbers)];
      const isAnswered = (await Promise.all(sendings)).includes(true);
      given = isAnswered || draw(3) === 0 ? null : { merchant, numbers };
      // Half of the abandoned requests are never repeated; the end of the test shows their fate.
      if (!isAnswered && given === null && draw(2) === 0)
        for (const number of numbers) unanswered[merchant]?.delete(number);
      if (isAnswered && draw(40) === 0) await contradict(merchant);
      await sleep(isAnswered ? draw(MOST_REST_MILLISECONDS) : AFTER_A_REFUSAL_MILLISECONDS);
    }
  };

  const tick = setInterval(() => report({ acknowledged, ended: false }), REPORT_MILLISECONDS);
  await Promise.all(Array.from({ length: order.senders }, (_, place) => sender(place)));
  clearInterval(tick);
  closeSync(journal);
  report({ acknowledged, ended: true });
}

/** A process of its own. Its first argument is its task, and a message ends it. */
if (import.meta.main) {
  let isOver = false;
  process.once('message', () => {
    isOver = true;
  });
  await load(
    JSON.parse(process.argv[2] ?? '{}') as LoadOrder,
    (report) => void process.send?.(report),
    () => isOver,
  );
  process.disconnect?.();
}
