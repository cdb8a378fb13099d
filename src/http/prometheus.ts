/** The names and values of labels, in the order in which they are written. */
export type Labels = Readonly<Record<string, string | number>>;

/** A value of a metric, for one set of labels. */
export interface Figure {
  readonly labels?: Labels;
  readonly figure: number;
}

/** A metric that can write itself. */
export interface Metric {
  /** Its lines in Prometheus' text format, version 0.0.4; nothing before its first value. */
  text(): string;
}

/** A counter or a gauge. The name of a counter ends with `_total`. */
export class Figures implements Metric {
  readonly #name: string;
  readonly #head: string;
  readonly #figures = new Map<string, number>();

  constructor(type: 'counter' | 'gauge', name: string, help: string) {
    this.#name = name;
    this.#head = headOf(name, type, help);
  }

  increment(labels: Labels): void {
    const key = written(labels);
    this.#figures.set(key, (this.#figures.get(key) ?? 0) + 1);
  }

  /** Replaces all values. Labels that had a value before and have none now get 0. */
  replace(figures: readonly Figure[]): void {
    for (const key of this.#figures.keys()) this.#figures.set(key, 0);
    for (const { labels = {}, figure } of figures) this.#figures.set(written(labels), figure);
  }

  text(): string {
    const lines = Array.from(this.#figures, ([key, figure]) => line(this.#name, key, figure));
    return lines.length === 0 ? '' : this.#head + lines.join('');
  }
}

/** How often a duration was measured, by its upper bound. */
interface Series {
  readonly labels: Labels;
  /** One count for each bound, and one for longer durations. */
  readonly counts: number[];
  sum: number;
}

/** A histogram. */
export class Durations implements Metric {
  readonly #name: string;
  readonly #head: string;
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, Series>();

  /** @param bounds upper bounds of the buckets in seconds, ascending; a duration may equal its bound */
  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#name = name;
    this.#head = headOf(name, 'histogram', help);
    this.#bounds = bounds;
  }

  record(seconds: number, labels: Labels = {}): void {
    const key = written(labels);
    let series = this.#series.get(key);
    if (!series) {
      series = { labels, counts: [...this.#bounds, Number.POSITIVE_INFINITY].map(() => 0), sum: 0 };
      this.#series.set(key, series);
    }
    const place = this.#bounds.findIndex((bound) => seconds <= bound);
    const bucket = place === -1 ? this.#bounds.length : place;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.sum += seconds;
  }

  text(): string {
    const parts = Array.from(this.#series, ([key, series]) => this.#seriesText(key, series));
    return parts.length === 0 ? '' : this.#head + parts.join('');
  }

  /** Each bucket counts the shorter durations, too. */
  #seriesText(key: string, { labels, counts, sum }: Series): string {
    let total = 0;
    const buckets = counts.map((count, place) => {
      total += count;
      const le = numberText(this.#bounds[place] ?? Number.POSITIVE_INFINITY);
      return line(`${this.#name}_bucket`, written({ ...labels, le }), total);
    });
    return line(`${this.#name}_count`, key, total) + line(`${this.#name}_sum`, key, sum) + buckets.join('');
  }
}

const headOf = (name: string, type: string, help: string): string =>
  `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`;

const line = (name: string, labels: string, figure: number): string => `${name}${labels} ${numberText(figure)}\n`;

function written(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`);
  return pairs.length === 0 ? '' : `{${pairs.join()}}`;
}

const escaped = (value: string): string =>
  value.replaceAll(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`));

function numberText(figure: number): string {
  if (figure === Number.POSITIVE_INFINITY) return '+Inf';
  return figure === Number.NEGATIVE_INFINITY ? '-Inf' : String(figure);
}
