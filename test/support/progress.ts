import type { Reporter, TestSpecification } from 'vitest/node';

/** The maximum of printed lines in a run, beside those of its files. */
const MOST_LINES = 20;

/** One line: the files that are done of all, and the seconds since the start. Pure. */
export const describeProgress = (done: number, all: number, milliseconds: number): string =>
  `${done} of ${all} test files done, ${Math.round(milliseconds / 1000)} s`;

/** Is a line due after so many files? At most `MOST_LINES` times in a run, and always after the last file. Pure. */
export const isLineDue = (done: number, all: number): boolean =>
  done === all || done % Math.max(1, Math.ceil(all / MOST_LINES)) === 0;

/** Prints the progress of a run. Vitest itself does that in a terminal, so this is for logs. */
export default class ProgressReporter implements Reporter {
  #began = 0;
  #done = 0;
  #all = 0;

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#began = performance.now();
    this.#done = 0;
    this.#all = specifications.length;
  }

  onTestModuleEnd(): void {
    this.#done += 1;
    if (process.stdout.isTTY || this.#all < 2 || !isLineDue(this.#done, this.#all)) return;
    process.stdout.write(`${describeProgress(this.#done, this.#all, performance.now() - this.#began)}\n`);
  }
}
