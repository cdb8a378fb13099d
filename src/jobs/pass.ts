import type { DueRecord } from './due-kind.ts';
import type { Outcome } from './steps.ts';

/** After so long, chores and test clocks have their turn. */
const MOST_MILLISECONDS = 5_000;
/** Slow kinds have their turn so often. */
const SLOW_MILLISECONDS = 1_000;

export interface PassOptions {
  /** Units that run at the same time. */
  readonly lanes: number;
  /** What is due, the longest first. */
  find(): Promise<readonly DueRecord[]>;
  /** The units of one transaction each. @param takesSlow slow kinds have their turn */
  unitsOf(found: readonly DueRecord[], takesSlow: boolean): DueRecord[][];
  run(unit: readonly DueRecord[]): Promise<readonly Outcome[]>;
  isStopping(): boolean;
}

export interface Passed {
  /** How many steps were tried. */
  readonly steps: number;
  /** A record waits only because somebody else has what is locked before it. */
  readonly isBlocked: boolean;
  readonly kinds: ReadonlySet<string>;
}

/**
 * Takes the steps of what is due. A lane without a unit looks again while another lane is at work, so that no lane
 * waits for the longest list (docs/decisions/0292-the-invoice-run-as-before.md). What waits is left to the next pass.
 */
export async function runPass({ lanes, find, unitsOf, run, isStopping }: PassOptions): Promise<Passed> {
  const began = performance.now();
  let slowAt = began;
  const kinds = new Set<string>();
  const taken = new Set<string>(); // under way, or waiting
  let queue = unitsOf(await find(), true);
  let looking: Promise<void> | undefined;
  let atWork = 0;
  let steps = 0;
  let isBlocked = false;

  const look = async () => {
    const found = await find();
    const takesSlow = performance.now() - slowAt >= SLOW_MILLISECONDS;
    if (takesSlow) slowAt = performance.now();
    queue = unitsOf(
      found.filter((record) => !taken.has(keyOf(record))),
      takesSlow,
    );
  };
  const nextUnit = async (looksAgain: boolean) => {
    if (queue.length === 0 && looksAgain && atWork > 0 && performance.now() - began < MOST_MILLISECONDS) {
      looking ??= look().finally(() => {
        looking = undefined;
      });
      await looking;
    }
    return queue.shift();
  };
  const lane = async () => {
    for (let looksAgain = false; !isStopping(); ) {
      const unit = await nextUnit(looksAgain);
      if (!unit) return;
      for (const record of unit) {
        kinds.add(record.kind);
        taken.add(keyOf(record));
      }
      atWork += 1;
      const outcomes = await run(unit).finally(() => {
        atWork -= 1;
      });
      const stepped = unit.filter((_, place) => isStep(outcomes[place]));
      for (const record of stepped) taken.delete(keyOf(record));
      looksAgain = stepped.length > 0;
      steps += stepped.length;
      isBlocked ||= outcomes.includes('blocked');
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: lanes }, lane));
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
  return { steps, isBlocked, kinds };
}

const isStep = (outcome: Outcome | undefined): boolean => outcome === 'done' || outcome === 'failed';

const keyOf = ({ kind, merchantId, id }: DueRecord): string => `${kind} ${merchantId} ${id}`;
