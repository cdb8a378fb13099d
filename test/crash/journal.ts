import { readFileSync, writeSync } from 'node:fs';

/**
 * The log of a load, outside of everything that is killed: sent and acknowledged events. An event is named by its
 * merchant's place and its number, as in `0/17`. A line is written by one call, before the next act.
 */
export interface Journal {
  /** Every event that was sent, answered or not. */
  readonly sent: ReadonlySet<string>;
  /** The events of each request, once for each time that it was sent. */
  readonly requests: readonly (readonly string[])[];
  /** The ids of an acknowledged event; an event that is answered twice has one id. */
  readonly acknowledged: ReadonlyMap<string, ReadonlySet<string>>;
  /** When it was acknowledged first, in milliseconds. */
  readonly acknowledgedAt: ReadonlyMap<string, number>;
  /** Acknowledged events that were accepted again with other content, which is always wrong. */
  readonly overwritten: readonly string[];
  /** The number of each other answer: a status, or the reason for no answer. */
  readonly refusals: ReadonlyMap<string, number>;
}

export type Word = 'sent' | 'acknowledged' | 'overwritten' | 'refused';

/** Writes one line of a log. */
export const note = (file: number, word: Word, ...parts: readonly (string | number)[]): void =>
  void writeSync(file, `${[word, ...parts].join(' ')}\n`);

export const keyOf = (merchant: number, number: number): string => `${merchant}/${number}`;

/** Reads a log. An unfinished line is ignored. */
export function readJournal(text: string): Journal {
  const sent = new Set<string>();
  const requests: string[][] = [];
  const acknowledged = new Map<string, Set<string>>();
  const acknowledgedAt = new Map<string, number>();
  const overwritten: string[] = [];
  const refusals = new Map<string, number>();
  for (const line of text.split('\n').slice(0, -1)) {
    const [word, ...parts] = line.split(' ');
    if (word === 'sent') {
      requests.push(parts);
      for (const key of parts) sent.add(key);
    } else if (word === 'overwritten') overwritten.push(...parts);
    else if (word === 'refused') {
      const why = parts.join(' ');
      refusals.set(why, (refusals.get(why) ?? 0) + 1);
    } else if (word === 'acknowledged') {
      const [at, ...events] = parts;
      for (const event of events) {
        const [key = '', id = ''] = event.split('=');
        acknowledged.set(key, (acknowledged.get(key) ?? new Set()).add(id));
        if (!acknowledgedAt.has(key)) acknowledgedAt.set(key, Number(at));
      }
    } else throw new Error(`A log holds a line that says ${line.slice(0, 80)}`);
  }
  return { sent, requests, acknowledged, acknowledgedAt, overwritten, refusals };
}

export const readJournalFile = (path: string): Journal => readJournal(readFileSync(path, 'utf8'));
