import { fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Requests that are sent at once. */
export interface Burst {
  readonly method: 'GET' | 'POST';
  readonly paths: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Bursts, one after another, and another merchant who reads by the clock meanwhile. */
export interface BurstOrder {
  readonly base: string;
  readonly bursts: readonly Burst[];
  /** Of the other merchant. */
  readonly key: string;
  readonly read: string;
}

export interface BurstReport {
  /** Of each burst: how many answers had which status; `none`: the connection failed. */
  readonly answers: readonly Readonly<Record<string, number>>[];
  readonly seconds: number;
  /** What each read of the other merchant took, before and during the bursts, in milliseconds. */
  readonly alone: readonly number[];
  readonly duringBursts: readonly number[];
  readonly failed: number;
}

const EVERY_MILLISECONDS = 30;

/** Sends bursts from a process of its own, and reads as another merchant during them. */
export const readDuringBursts = (order: BurstOrder): Promise<BurstReport> =>
  new Promise((resolve, reject) => {
    const child = fork(import.meta.filename);
    child.once('message', (report) => resolve(report as BurstReport));
    child.once('exit', (code) => reject(new Error(`The process with the bursts ended with ${code}.`)));
    child.send(order);
  });

/** The time that a part of all stay below. */
export const at = (times: readonly number[], part: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;

async function run({ base, bursts, key, read }: BurstOrder): Promise<BurstReport> {
  let failed = 0;
  /** Reads by the clock until it is told to stop. */
  const reader = () => {
    const times: Promise<number>[] = [];
    const timer = setInterval(() => {
      const began = performance.now();
      const answered = fetch(base + read, { headers: { authorization: `Bearer ${key}` } }).then(async (answer) => {
        await answer.text();
        return answer.ok;
      });
      times.push(
        answered
          .catch(() => false)
          .then((isOk) => {
            if (!isOk) failed += 1;
            return performance.now() - began;
          }),
      );
    }, EVERY_MILLISECONDS);
    return async () => {
      clearInterval(timer);
      return Promise.all(times);
    };
  };
  const send = async ({ paths, ...options }: Burst): Promise<Record<string, number>> => {
    const answers: Record<string, number> = {};
    await Promise.all(
      paths.map(async (path) => {
        const answered = fetch(base + path, options).then(async (answer) => {
          await answer.bytes();
          return String(answer.status);
        });
        const status = await answered.catch(() => 'none');
        answers[status] = (answers[status] ?? 0) + 1;
      }),
    );
    return answers;
  };
  const warm = reader();
  await sleep(2_000);
  await warm();
  const quiet = reader();
  await sleep(3_000);
  const alone = await quiet();
  const busy = reader();
  const began = performance.now();
  const answers: Record<string, number>[] = [];
  for (const burst of bursts) answers.push(await send(burst));
  const seconds = (performance.now() - began) / 1000;
  return { answers, seconds, alone, duringBursts: await busy(), failed };
}

if (process.argv[1] === import.meta.filename)
  process.once('message', (order) => {
    void run(order as BurstOrder).then((report) => process.send?.(report, () => process.exit(0)));
  });
