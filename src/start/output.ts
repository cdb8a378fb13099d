/** The output of a command for a person. */
export interface Output {
  /** A line of its own. */
  line(text?: string): void;
  /**
   * Prints a line after `work`, with its duration. `describe` may add to the label. `describe` may add to the label.
   */
  step<T>(label: string, work: () => Promise<T>, describe?: (value: T) => string): Promise<T>;
  /** A person reads it at a terminal; otherwise it may be stored, in a journal or by a container. */
  readonly isTerminal: boolean;
  /** Something the reader should know that stops nothing. */
  notice(text: string): void;
  /** The cause of a failure, and the remedy. */
  failure(cause: string, fix: string): void;
}

/** The part of a stream that is written to. */
export interface Sink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

const LABEL_WIDTH = 48;

/** Plain words for files and pipes; colours for a terminal, unless NO_COLOR forbids them. */
export function createOutput(out: Sink, errors: Sink, variables: Readonly<Record<string, string | undefined>>): Output {
  const colours = out.isTTY === true && !variables.NO_COLOR;
  const paint = (code: number, text: string) => (colours ? `\u001b[${code}m${text}\u001b[0m` : text);
  const line = (text = '') => void out.write(text === '' ? '\n' : `  ${text}\n`);
  return {
    isTerminal: out.isTTY === true,
    line,
    async step(label, work, describe) {
      const started = performance.now();
      const value = await work();
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      const detail = describe?.(value) ?? '';
      line(`${paint(32, '✔')} ${label.padEnd(LABEL_WIDTH)} ${`${seconds} s`.padStart(7)}${detail && `   ${detail}`}`);
      return value;
    },
    notice: (text) => line(`${paint(33, '!')} ${text}`),
    failure(cause, fix) {
      errors.write(`\n  ${paint(31, '✖')} ${cause}\n    Fix: ${fix}\n\n`);
    },
  };
}
