import type { Decimal } from '../../kernel/decimal.ts';

/** One cell of what PostgreSQL holds after the mark. */
export interface TailRow {
  readonly summedOver: number;
  readonly owner: bigint | null;
  readonly w: bigint | null;
  readonly eventCount: bigint;
  readonly value: Decimal | null;
  readonly latestAt?: bigint | null;
  readonly latestSeq?: bigint | null;
  readonly [dimension: `d${number}`]: string | null;
}

export interface TailUniqueRow {
  readonly owner: bigint | null;
  readonly w: bigint | null;
  readonly eventCount: bigint;
  readonly value: string;
  readonly [dimension: `d${number}`]: string | null;
}
