/** A column that holds secrets sealed under the master key. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** One sealed text, or an object of sealed texts by their paths. A text that is empty or null holds no secret. */
  readonly holds: 'text' | 'texts by path';
}

/** Every column that holds sealed secrets; a test fails for a column that is missing here. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'merchant_integration', column: 'secrets', holds: 'texts by path' },
  { table: 'source', column: 'webhook_secret', holds: 'text' },
  { table: 'webhook_endpoint', column: 'secret', holds: 'text' },
  { table: 'webhook_endpoint', column: 'previous_secret', holds: 'text' },
];
