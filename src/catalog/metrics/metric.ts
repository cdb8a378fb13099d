import type { DisplayUnit } from '../../invoicing/rating/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Meter } from '../meters/meter.ts';

/** §2 Billable metric: a meter that has a name and can be priced. */
export interface Metric extends Meter {
  readonly id: string;
  readonly merchantId: string;
  readonly productId: string;
  readonly itemId: string | null;
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  /** In which quantities and prices are shown; null: the unit. */
  readonly displayUnit: DisplayUnit | null;
  /** Percent; null where the plan's or the merchant's holds. */
  readonly taxRate: Decimal | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}
