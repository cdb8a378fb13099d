import { appendFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The number of the fault that is in the program; null: none. */
    fault: number | null;
    /** A file that gets a line for each test file: the faults that it reaches; null: none is written. */
    survey: string | null;
  }
}

/** The faults that a test file reaches. */
export interface Reached {
  readonly file: string;
  /** How often its tests came past each fault, by its number. */
  readonly hits: readonly (readonly [fault: number, times: number])[];
  /** The faults that were reached while modules were loaded: later files of the same process find them loaded. */
  readonly atLoad: readonly number[];
}

declare global {
  /** Is this fault in the program now? The copy of the program asks for each (`withSwitches`). */
  var fault: ((number: number) => boolean) | undefined;
}

// The first failure of a property is enough: a smaller example of it takes long.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });

const survey = inject('survey');
const chosen = inject('fault');

if (survey === null) globalThis.fault = (number) => number === chosen;
else {
  const hits = new Map<number, number>();
  let atLoad: number[] = [];
  globalThis.fault = (number) => {
    hits.set(number, (hits.get(number) ?? 0) + 1);
    return false;
  };
  beforeAll(() => {
    atLoad = [...hits.keys()];
    hits.clear();
  });
  afterAll(() => {
    const reached: Reached = { file: expect.getState().testPath ?? '', hits: [...hits], atLoad };
    appendFileSync(survey, `${JSON.stringify(reached)}\n`);
  });
}
