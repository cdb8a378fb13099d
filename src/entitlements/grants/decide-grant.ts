import type { Static } from '../../http/index.ts';
import { type Decimal, decimalOf, decimalOrNull, ZERO } from '../../kernel/decimal.ts';
import { type FieldError, invalid, ok, type Result } from '../../kernel/result.ts';
import { type Instant, instantOrNull, isAfter, parseCadence } from '../../kernel/time.ts';
import { UNLIMITED } from '../balance/index.ts';
import type { GrantCreateBody } from '../entitlement/grant-schemas.ts';

/** The terms of a grant, with all defaults filled in. */
export interface GrantTerms {
  readonly amount: Decimal;
  readonly priority: number;
  readonly effectiveAt: Instant;
  readonly expiresAt: Instant | null;
  /** ISO 8601, as it was sent. */
  readonly recurrencePeriod: string | null;
  readonly resetMaxRollover: Decimal;
  readonly resetMinRollover: Decimal;
}

/** The terms of a direct grant (api.md, Entitlements), where they agree with each other; every failing field. */
export function decideGrant(input: Static<typeof GrantCreateBody>, now: Instant): Result<GrantTerms> {
  const terms: GrantTerms = {
    amount: decimalOf(input.amount),
    priority: input.priority ?? 0,
    effectiveAt: instantOrNull(input.effectiveAt) ?? now,
    expiresAt: instantOrNull(input.expiresAt),
    recurrencePeriod: input.recurrencePeriod ?? null,
    resetMaxRollover: decimalOrNull(input.resetMaxRollover) ?? UNLIMITED,
    resetMinRollover: decimalOrNull(input.resetMinRollover) ?? ZERO,
  };
  const errors: FieldError[] = [...timeErrors(terms), ...rolloverErrors(terms)];
  if (terms.recurrencePeriod !== null && !isPeriod(terms.recurrencePeriod))
    errors.push({
      field: 'recurrencePeriod',
      message: 'must be an ISO 8601 duration of whole days, weeks, months or years',
    });
  return errors.length === 0 ? ok(terms) : invalid(errors);
}

/** A grant ends after it begins. */
export const timeErrors = ({ effectiveAt, expiresAt }: Pick<GrantTerms, 'effectiveAt' | 'expiresAt'>): FieldError[] =>
  expiresAt === null || isAfter(expiresAt, effectiveAt)
    ? []
    : [{ field: 'expiresAt', message: 'must be after effectiveAt, which by default is now' }];

/** The floor of a rollover is not above its ceiling (domain.md §5). */
export const rolloverErrors = (bounds: Pick<GrantTerms, 'resetMaxRollover' | 'resetMinRollover'>): FieldError[] =>
  bounds.resetMinRollover.gt(bounds.resetMaxRollover)
    ? [{ field: 'resetMinRollover', message: 'must not be above resetMaxRollover' }]
    : [];

function isPeriod(text: string): boolean {
  const cadence = parseCadence(text);
  return cadence !== null && cadence.months + cadence.days > 0;
}
