import { createHash } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { SchemaElement } from 'hyparquet';
import { turn } from '../../http/index.ts';

/** An event with all its columns but its merchant's, which is the same in a whole file. */
export interface ArchivedEvent {
  readonly seq: bigint;
  /** Microseconds since 1970. */
  readonly at: bigint;
  readonly acceptedAt: bigint;
  readonly subjectId: bigint;
  readonly type: string;
  readonly source: string;
  readonly idempotencyKey: string;
  /** JSON as PostgreSQL writes it: its numbers keep their digits. */
  readonly data: string;
  readonly externalSubject: string | null;
  readonly externalId: string | null;
}

type Column = readonly [name: string, field: keyof ArchivedEvent, schema: Omit<SchemaElement, 'name'>];

const NUMBER = { type: 'INT64', repetition_type: 'REQUIRED' } as const;
const TIME = {
  ...NUMBER,
  converted_type: 'TIMESTAMP_MICROS',
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
} as const;
const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' } as const;
const TEXT_OR_NULL = { ...TEXT, repetition_type: 'OPTIONAL' } as const;

/** The columns are named as in the table `event`. */
const COLUMNS: readonly Column[] = [
  ['seq', 'seq', NUMBER],
  ['at', 'at', TIME],
  ['accepted_at', 'acceptedAt', TIME],
  ['subject_id', 'subjectId', NUMBER],
  ['type', 'type', TEXT],
  ['source', 'source', TEXT],
  ['idempotency_key', 'idempotencyKey', TEXT],
  ['data', 'data', TEXT],
  ['external_subject', 'externalSubject', TEXT_OR_NULL],
  ['external_id', 'externalId', TEXT_OR_NULL],
];

/** Rows that are packed, or unpacked, in one turn of the event loop. */
const ROWS_OF_A_GROUP = 5_000;

/** Events as a Parquet file. The library is loaded with the first one, not with the program. */
export async function toParquet(events: readonly ArchivedEvent[]): Promise<Uint8Array> {
  const { ByteWriter, parquetWrite } = await import('hyparquet-writer');
  const writer = Object.assign(new ByteWriter(), { flush: turn }); // after each group of rows
  await parquetWrite({
    writer,
    schema: [
      { name: 'event', num_children: COLUMNS.length },
      ...COLUMNS.map(([name, , schema]): SchemaElement => ({ name, ...schema })),
    ],
    columnData: COLUMNS.map(([name, field]) => ({ name, data: events.map((event) => event[field]) })),
    codec: 'ZSTD',
    compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
    rowGroupSize: ROWS_OF_A_GROUP,
    createdBy: 'reckoner',
  });
  return writer.getBytes();
}

/** The events of such a file. @throws where it is none */
export async function fromParquet(bytes: Uint8Array): Promise<ArchivedEvent[]> {
  const { parquetMetadata, parquetReadObjects } = await import('hyparquet');
  const file = new Uint8Array(bytes).buffer; // a view may begin inside a larger buffer
  const metadata = parquetMetadata(file);
  const events: ArchivedEvent[] = [];
  for (let rowStart = 0; rowStart < Number(metadata.num_rows); rowStart += ROWS_OF_A_GROUP) {
    const rows = await parquetReadObjects({
      ...{ file, metadata, rowStart, rowEnd: rowStart + ROWS_OF_A_GROUP },
      compressors: { ZSTD: (compressed) => zstdDecompressSync(compressed) },
      parsers: { timestampFromMicroseconds: (microseconds: bigint) => microseconds } as never,
    });
    for (const row of rows) events.push(eventOf(row));
    await turn();
  }
  return events;
}

const eventOf = (row: Record<string, unknown>): ArchivedEvent =>
  Object.fromEntries(COLUMNS.map(([name, field]) => [field, row[name] ?? null])) as unknown as ArchivedEvent;

/** SHA-256 of all columns of events, in their order. */
export async function hashOf(events: readonly ArchivedEvent[]): Promise<Buffer> {
  const hash = createHash('sha256');
  for (const [place, event] of events.entries()) {
    hash.update(`${JSON.stringify(COLUMNS.map(([, field]) => textOf(event[field])))}\n`);
    if (place % ROWS_OF_A_GROUP === ROWS_OF_A_GROUP - 1) await turn();
  }
  return hash.digest();
}

const textOf = (value: bigint | string | null): string | null => (typeof value === 'bigint' ? String(value) : value);
