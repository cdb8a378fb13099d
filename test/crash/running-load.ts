import { fork } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { withKeptCode } from '../support/kept-code.ts';
import { type Journal, readJournalFile } from './journal.ts';
import type { LoadReport } from './load.ts';
import type { LoadOrder } from './workload.ts';

/** A load in a process of its own, with its log. */
export interface RunningLoad {
  /** Events that are acknowledged, each once. */
  acknowledged(): number;
  /** Resolves when so many are. */
  reaches(count: number): Promise<void>;
  /** Waits for the answers of running requests, and resolves to the log. */
  stop(): Promise<Journal>;
  /** Ends it at once, where it still runs. */
  kill(): void;
}

export function startLoad(order: LoadOrder): RunningLoad {
  closeSync(openSync(order.journal, 'a'));
  const program = fileURLToPath(new URL('load.ts', import.meta.url));
  const child = fork(program, [JSON.stringify(order)], { env: withKeptCode() });
  let report: LoadReport = { acknowledged: 0, ended: false };
  child.on('message', (message) => {
    report = message as LoadReport;
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => (report.ended ? resolve() : reject(new Error(`The load ended with ${code}.`))));
  });
  ended.catch(() => undefined); // it is heard where it is waited for
  return {
    acknowledged: () => report.acknowledged,
    reaches: async (count) => {
      while (report.acknowledged < count) await Promise.race([sleep(10), ended]);
    },
    stop: async () => {
      child.send('stop');
      await ended;
      return readJournalFile(order.journal);
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
