import type { ClickHouse } from '../store.ts';

/**
 * The moment at which a remembering ClickHouse breaks off: before an insert has an effect, or after it without an
 * answer.
 */
export type Break = 'before' | 'after';

/**
 * The parts of a ClickHouse that shipping needs, in memory: its tables remember inserts by their token. It answers the
 * number of batches, and nothing to any other question.
 */
export class RememberingClickHouse implements ClickHouse {
  readonly tables = new Map<string, Map<string, string>>();
  /** Called for each insert. A returned error breaks the insert off. */
  onInsert: (table: string, token: string) => Break | null = () => null;

  async run(text: string): Promise<void> {
    const [, verb, name = ''] = /^\s*(create table if not exists|drop table if exists) (\w+)/.exec(text) ?? [];
    if (verb === undefined) throw new Error(`Not understood: ${text}`);
    if (verb.startsWith('create')) this.tables.getOrInsertComputed(name, () => new Map());
    else this.tables.delete(name);
  }

  async insert(text: string, lines: string): Promise<void> {
    const [, name = ''] = /insert into (\w+)/.exec(text) ?? [];
    const [, token = ''] = /insert_deduplication_token = '([^']+)'/.exec(text) ?? [];
    const broken = this.onInsert(name, token);
    if (broken === 'before') throw new Error('The connection broke.');
    const table = this.#table(name);
    if (table.has(token) && table.get(token) !== lines) throw new Error('Another block came under the same token.');
    table.set(token, lines);
    if (broken === 'after') throw new Error('The connection broke, after all had arrived.');
  }

  async columns({ text }: { text: string }): Promise<unknown[][]> {
    const [, name = ''] = /from (batch_\w+)/.exec(text) ?? [];
    if (name === '') return []; // figures are beyond it
    const batches = this.#lines(name).map((line) => JSON.parse(line) as Record<string, unknown>);
    const last = batches.reduce((a, b) => (Number(a.batch_no ?? 0) > Number(b.batch_no) ? a : b), {});
    const events = batches.reduce((total, { event_count }) => total + Number(event_count), 0);
    const rows = this.#lines(name.replace('batch', 'event')).length;
    return [[String(batches.length)], [last.token ?? ''], [String(events)], [String(rows)]];
  }

  async close(): Promise<void> {}

  /** The numbers of a projection's events, in the order of their arrival. */
  seqsOf(name: string): bigint[] {
    return this.#lines(`event_${name}`).map((line) => BigInt(/"seq":(\d+)/.exec(line)?.[1] ?? '-1'));
  }

  /** Forgets the rows of every table, as a disk does that was replaced. */
  forget(): void {
    for (const table of this.tables.values()) table.clear();
  }

  #lines(name: string): string[] {
    return [...this.#table(name).values()].flatMap((lines) => lines.split('\n'));
  }

  #table(name: string): Map<string, string> {
    const table = this.tables.get(name);
    if (table === undefined)
      throw Object.assign(new Error(`Table ${name} does not exist.`), { code: '60', type: 'UNKNOWN_TABLE' });
    return table;
  }
}
