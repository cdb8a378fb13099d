/** One server, or a cluster of shards and replicas as its configuration names it. */
export type EngineMode = { readonly kind: 'single' } | { readonly kind: 'cluster'; readonly cluster: string };

/**
 * The mode for a cluster of this name, or for one server. @throws where the name is not letters, digits, underscores
 * and dashes
 */
export function engineMode(cluster: string | null): EngineMode {
  if (cluster === null) return { kind: 'single' };
  if (!/^[\w-]+$/.test(cluster)) throw new RangeError('A cluster is named by letters, digits, underscores and dashes.');
  return { kind: 'cluster', cluster };
}

/** How many of the last inserts a table remembers by their token, so that a repeated one is nothing. */
const REMEMBERED_INSERTS = 10_000;
const YEAR_SECONDS = 366 * 24 * 60 * 60;

/** The condition for a successful insert: the disk of one server, or the majority of a shard's replicas. */
const INSERT_SETTINGS = {
  single: '',
  cluster: ", insert_quorum = 'auto', insert_quorum_parallel = 0, distributed_foreground_insert = 1",
} as const;

/** A replica that lags says so instead of answering less. */
const SELECT_SETTINGS = {
  single: '',
  cluster: ', select_sequential_consistency = 1, optimize_skip_unused_shards = 1',
} as const;

const MOST_SECONDS = 8;

/** The names of a projection's tables; `name` comes from our own database and is letters, digits and underscores. */
export const tableNames = (name: string) => ({ events: `event_${name}`, batches: `batch_${name}` });

/**
 * An engine that drops rows of the same key in the end, and inserts of the same token at once. The first is a net below
 * the second: no figure relies on it.
 */
function engine(mode: EngineMode, table: string, everywhere: boolean): string {
  if (mode.kind === 'single') return 'ReplacingMergeTree';
  const place = everywhere
    ? `'/clickhouse/tables/{database}/${table}', '{shard}-{replica}'`
    : `'/clickhouse/tables/{database}/${table}/{shard}', '{replica}'`;
  return `ReplicatedReplacingMergeTree(${place})`;
}

const settings = (mode: EngineMode): string =>
  mode.kind === 'single'
    ? `settings non_replicated_deduplication_window = ${REMEMBERED_INSERTS}, ` +
      'fsync_after_insert = 1, fsync_part_directory = 1'
    : `settings replicated_deduplication_window = ${REMEMBERED_INSERTS}, ` +
      `replicated_deduplication_window_seconds = ${YEAR_SECONDS}`;

const onCluster = (mode: EngineMode): string => (mode.kind === 'single' ? '' : ` on cluster '${mode.cluster}'`);

/**
 * The tables of a projection, from one source for one server and for a cluster. `at` is microseconds since 1970, the
 * whole numbers that PostgreSQL keeps. Each question reads `at` and `batch_no` of every event it is about, so they are
 * packed in a way that costs little to read: ZSTD of their differences is a tenth smaller and took a third of a
 * question's time. The index on `batch_no` finds what came after a mark. `data` holds each leaf of an event's data
 * under its path and form (leaves.ts), so that a figure reads the one property it is about. `batch` says what was
 * shipped; a cluster has it on each of its servers. What is there is left: two workers may do this at the same time, or
 * one again that broke off.
 */
export function createTables(mode: EngineMode, name: string): string[] {
  const { events, batches } = tableNames(name);
  const local = mode.kind === 'single' ? events : `${events}_local`;
  const columns = `(
    merchant_id LowCardinality(String),
    type LowCardinality(String),
    subject_id UInt64,
    at Int64 codec(T64, LZ4),
    seq UInt64 codec(T64, LZ4),
    batch_no UInt32 codec(T64, LZ4),
    data JSON(max_dynamic_paths = 512),
    index by_batch batch_no type minmax
  )`;
  return [
    `create table if not exists ${local}${onCluster(mode)} ${columns}
     engine = ${engine(mode, local, false)}
     partition by toYYYYMM(fromUnixTimestamp64Micro(at, 'UTC'))
     order by (merchant_id, type, subject_id, at, seq)
     ${settings(mode)}`,
    ...(mode.kind === 'single'
      ? []
      : [
          `create table if not exists ${events}${onCluster(mode)} as ${local}
           engine = Distributed('${mode.cluster}', currentDatabase(), '${local}', cityHash64(merchant_id, subject_id))`,
        ]),
    `create table if not exists ${batches}${onCluster(mode)}
     (batch_no UInt32, token String, from_seq UInt64, to_seq UInt64, event_count UInt32)
     engine = ${engine(mode, batches, true)} order by batch_no ${settings(mode)}`,
  ];
}

/** Removes the existing tables of a projection. */
export function dropTables(mode: EngineMode, name: string): string[] {
  const { events, batches } = tableNames(name);
  const tables = mode.kind === 'single' ? [events, batches] : [events, `${events}_local`, batches];
  return tables.map((table) => `drop table if exists ${table}${onCluster(mode)} sync`);
}

/**
 * Inserts lines under a token, at most once. All lines are one block: of two, one could be there without the other and
 * bear another number the next time. A text stays a text, whatever it looks like.
 */
export const insertInto = (mode: EngineMode, table: string, columns: string, token: string): string => `
  insert into ${table} (${columns})
  settings insert_deduplication_token = '${token}', async_insert = 0, input_format_parallel_parsing = 0,
           max_insert_block_size = 1000000, max_partitions_per_insert_block = 0,
           input_format_try_infer_dates = 0, input_format_try_infer_datetimes = 0,
           input_format_json_try_infer_numbers_from_strings = 0${INSERT_SETTINGS[mode.kind]}
  format JSONEachRow`;

/** The end of a question. Whole numbers and decimals come as text: a JavaScript number would round them. */
export const answerSettings = (mode: EngineMode): string => `
  settings output_format_json_quote_64bit_integers = 1, output_format_json_quote_decimals = 1,
           max_execution_time = ${MOST_SECONDS}${SELECT_SETTINGS[mode.kind]}`;
