import type { DocumentRenderer } from '../documents/index.ts';
import type { EnvironmentName } from '../identity/index.ts';
import type { BillingSource } from './source.ts';

/** What the operations of invoicing work with beside their transaction. */
export interface InvoicingParts {
  readonly environment: EnvironmentName;
  /** What links start with, without a slash at the end. */
  readonly publicUrl: string;
  readonly source: BillingSource;
  readonly renderer: DocumentRenderer;
}
