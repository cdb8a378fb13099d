/** The names and values of labels, in the order in which they are written. */
export type Labels = Readonly<Record<string, string | number>>;

/** A value of a metric, for one set of labels. */
export interface Figure {
  readonly labels?: Labels;
  readonly figure: number;
}

/** The values of a metric now, one for each set of labels. */
export type Points =
  | { readonly bounds?: undefined; readonly points: readonly Required<Figure>[] }
  | { readonly bounds: readonly number[]; readonly points: readonly Bars[] };

/** How often a duration was measured, for one set of labels: one count for each bound, and one for longer durations. */
export interface Bars {
  readonly labels: Labels;
  readonly counts: readonly number[];
  readonly sum: number;
}

/** A metric that can write itself. */
export interface Metric {
  /** Its values as they are now, for who writes them in another form. */
  points(): Points;
  /** Its lines in Prometheus' text format, version 0.0.4; nothing before its first value. */
  text(): string;
}

/** The value of a counter or a gauge, for one set of labels. */
export interface Counted {
  readonly labels: Labels;
  figure: number;
}

/** A counter or a gauge. The name of a counter ends with `_total`. */
export class Figures implements Metric {
  readonly #name: string;
  readonly #head: string;
  readonly #figures = new Map<string, Counted>();

  constructor(type: 'counter' | 'gauge', name: string, help: string) {
    this.#name = name;
    this.#head = headOf(name, type, help);
  }

  increment(labels: Labels): void {
    this.at(labels).figure += 1;
  }

  /** The value of some labels, for who counts often: it stays the same object. */
  at(labels: Labels): Counted {
    const key = written(labels);
    const known = this.#figures.get(key) ?? { labels, figure: 0 };
    this.#figures.set(key, known);
    return known;
  }

  /** Replaces all values. Labels that had a value before and have none now get 0. */
  replace(figures: readonly Figure[]): void {
    for (const counted of this.#figures.values()) counted.figure = 0;
    for (const { labels = {}, figure } of figures) this.at(labels).figure = figure;
  }

  points(): Points {
    return { points: Array.from(this.#figures.values(), ({ labels, figure }) => ({ labels, figure })) };
  }

  text(): string {
    const lines = Array.from(this.#figures, ([key, { figure }]) => line(this.#name, key, figure));
    return lines.length === 0 ? '' : this.#head + lines.join('');
  }
}

/** How often a duration was measured, by its upper bound, for one set of labels. */
export class Series {
  readonly labels: Labels;
  /** One count for each bound, and one for longer durations. */
  readonly counts: number[];
  readonly #bounds: readonly number[];
  sum = 0;

  constructor(labels: Labels, bounds: readonly number[]) {
    this.labels = labels;
    this.#bounds = bounds;
    this.counts = [...bounds, Number.POSITIVE_INFINITY].map(() => 0);
  }

  record(seconds: number): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && seconds > (this.#bounds[bucket] as number)) bucket += 1;
    this.counts[bucket] = (this.counts[bucket] as number) + 1;
    this.sum += seconds;
  }
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
    this.at(labels).record(seconds);
  }

  /** The series of some labels, for who records often: it stays the same object. */
  at(labels: Labels): Series {
    const key = written(labels);
    const known = this.#series.get(key) ?? new Series(labels, this.#bounds);
    this.#series.set(key, known);
    return known;
  }

  points(): Points {
    const points = Array.from(this.#series.values(), ({ labels, counts, sum }) => ({
      labels,
      counts: [...counts],
      sum,
    }));
    return { bounds: this.#bounds, points };
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
