import type { Decimal } from '../../kernel/decimal.ts';
import type { Period } from '../../kernel/time.ts';

/** Units that grants of an entitlement burnt in a stretch of time, and that a price does not charge. */
export interface TakenUnits {
  readonly entitlementId: string;
  readonly stretch: Period;
  readonly units: Decimal;
}
