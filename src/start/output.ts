/** The output of a command for a person. */
export interface Output {
  /** A line of its own. */
  line(text?: string): void;
  /**
   * Prints a line after `work`, with its duration. At a terminal the line stands there while the work runs, and its
   * time moves. `describe` may add to the label.
   */
  step<T>(label: string, work: () => Promise<T>, describe?: (value: T) => string): Promise<T>;
  /** A person reads it at a terminal; otherwise it may be stored, in a journal or by a container. */
  readonly isTerminal: boolean;
  /** Something the reader should know that stops nothing. */
  notice(text: string): void;
  /** The cause of a failure, and the remedy. */
  failure(cause: string, fix: string): void;
  /** Writes a line of the log. */
  log(line: string): void;
  /** Writes the log of `work` after it, except errors: the lines of `work` stand together. */
  together<T>(work: () => Promise<T>): Promise<T>;
}

/** The part of a stream that is written to. */
export interface Sink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

interface Sinks {
  readonly out: Sink;
  readonly errors: Sink;
  readonly logs: Sink;
}

const LABEL_WIDTH = 52;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MILLISECONDS = 100;
const ERASE_LINE = '\r\u001b[2K';

/**
 * Plain words for files and pipes; colours and a moving line for a terminal, unless NO_COLOR, CI or the terminal itself
 * forbids them.
 */
export function createOutput(
  { out, errors, logs }: Sinks,
  variables: Readonly<Record<string, string | undefined>>,
): Output {
  const isTerminal = out.isTTY === true;
  const colours = isTerminal && !variables.NO_COLOR;
  const paint = (code: number, text: string) => (colours ? `\u001b[${code}m${text}\u001b[0m` : text);
  const moves = colours && variables.TERM !== 'dumb' && (!variables.CI || variables.CI === 'false');
  const moving = moves ? movingLine(out) : null;
  const print = (sink: Sink, text: string) => (moving ? moving.around(() => sink.write(text)) : sink.write(text));
  const line = (text = '') => void print(out, text === '' ? '\n' : `  ${text}\n`);
  const held = holdableLog((text) => void print(logs, text));
  return {
    isTerminal,
    line,
    async step(label, work, describe) {
      const started = performance.now();
      const row = (mark: string) => `${mark} ${label.padEnd(LABEL_WIDTH)} ${secondsSince(started).padStart(7)}`;
      const end = moving?.begin((frame) => row(frame));
      const value = await work().finally(end);
      const detail = describe?.(value) ?? '';
      line(`${row(paint(32, '✔'))}${detail && `   ${detail}`}`);
      return value;
    },
    notice: (text) => line(`${paint(33, '!')} ${text}`),
    failure: (cause, fix) => void print(errors, `\n  ${paint(31, '✖')} ${cause}\n    Fix: ${fix}\n\n`),
    log: held.write,
    together: held.during,
  };
}

const secondsSince = (started: number): string => `${((performance.now() - started) / 1000).toFixed(1)} s`;

/** The line of the step that runs. It is erased before anything else is written, and drawn again below it. */
function movingLine(out: Sink) {
  const rows = new Set<(frame: string) => string>();
  let frame = 0;
  let timer: NodeJS.Timeout | undefined;
  const draw = () => {
    const row = [...rows].at(-1);
    // A line that the terminal breaks in two could not be erased.
    if (row) out.write(`${ERASE_LINE}  ${row(FRAMES[frame % FRAMES.length] as string)}`.slice(0, erasable(out)));
  };
  const tick = () => {
    frame += 1;
    draw();
  };
  return {
    /** @returns its end */
    begin(row: (frame: string) => string): () => void {
      rows.add(row);
      timer ??= setInterval(tick, FRAME_MILLISECONDS).unref();
      draw();
      return () => {
        rows.delete(row);
        out.write(ERASE_LINE);
        draw();
        if (rows.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    around(write: () => void): void {
      if (rows.size > 0) out.write(ERASE_LINE);
      write();
      draw();
    },
  };
}

/** A terminal that does not know its width says 0. */
const erasable = ({ columns }: Sink): number => ERASE_LINE.length + (columns || 80) - 1;

/** Pino begins each line with its level. */
const GRAVE = /^\{"level":[56]0\b/;

/** Lines that are held are written in any case: also where the process ends before their time. */
function holdableLog(write: (text: string) => void) {
  let held: string[] | null = null;
  const release = () => {
    const lines = held ?? [];
    held = null;
    for (const line of lines) write(line);
  };
  return {
    write(line: string): void {
      if (held === null || GRAVE.test(line)) write(line);
      else held.push(line);
    },
    async during<T>(work: () => Promise<T>): Promise<T> {
      held = [];
      process.once('exit', release);
      try {
        return await work();
      } finally {
        process.removeListener('exit', release);
        release();
      }
    },
  };
}
