import type { Instant } from '../../kernel/time.ts';
import type { Typed } from './details.ts';

/** Why a form is shown again. */
export type InputReason = 'checked' | 'mistakes' | 'changed' | 'repeated';

/** The answer of the register about a typed tax number. */
export type RegisterAnswer = 'valid' | 'invalid' | 'unavailable';

/** What was typed into a form that is shown again. */
export interface CheckoutInput {
  readonly merchantId: string;
  readonly linkId: string;
  /** Of the sent form. The form that is shown next has another one. */
  readonly form: string;
  readonly typed: Typed;
  readonly reason: InputReason;
  /** Null: it was not asked. */
  readonly register: RegisterAnswer | null;
  readonly createdAt: Instant;
}
