import { type Instant, SECONDS_PER_HOUR, SECONDS_PER_MINUTE } from '../kernel/time.ts';
import type { MailTrigger } from './states.ts';

/** The result of a delivery to the server. */
export type Delivery =
  /** The server took it, save for the recipients that it refused. */
  | { readonly outcome: 'taken'; readonly refused: readonly string[] }
  /** The server will never take this mail. */
  | { readonly outcome: 'refused'; readonly error: string }
  /** Not now. */
  | { readonly outcome: 'later'; readonly error: string }
  /** Not now, and no other mail either: the server cannot be reached, or does not let us in. */
  | { readonly outcome: 'away'; readonly error: string };

/** Seconds until the next attempt, after the first, the second, … */
const DELAYS = [
  SECONDS_PER_MINUTE,
  5 * SECONDS_PER_MINUTE,
  15 * SECONDS_PER_MINUTE,
  SECONDS_PER_HOUR,
  3 * SECONDS_PER_HOUR,
  6 * SECONDS_PER_HOUR,
  12 * SECONDS_PER_HOUR,
] as const;

export const MOST_ATTEMPTS = DELAYS.length + 1;

/** The consequence for a mail. */
export interface Verdict {
  /** Undefined: it stays pending. */
  readonly trigger?: MailTrigger;
  readonly nextAttemptAt: Instant | null;
  readonly error: string | null;
}

/**
 * The consequence of an attempt. A permanent refusal ends it at once, everything else after the eighth attempt, which
 * is a day after the first.
 * @param attempts with this one
 */
export function judge(delivery: Delivery, attempts: number, now: Instant): Verdict {
  if (delivery.outcome === 'taken') {
    const { refused } = delivery;
    const error = refused.length > 0 ? `The server refused ${refused.join(', ')}.` : null;
    return { trigger: 'deliver', nextAttemptAt: null, error };
  }
  const { outcome, error } = delivery;
  const seconds = DELAYS[attempts - 1];
  if (outcome === 'refused' || seconds === undefined) return { trigger: 'giveUp', nextAttemptAt: null, error };
  return { nextAttemptAt: now.add({ seconds }), error };
}

/** The error of the SMTP client. */
export interface SmtpError {
  readonly message: string;
  readonly code?: string | undefined;
  /** The server's answer, e.g. 550. */
  readonly responseCode?: number | undefined;
}

/** These are about one mail: its addresses or its content. All other errors are about the connection to the server. */
const OF_THE_MAIL = new Set(['EENVELOPE', 'EMESSAGE']);

/**
 * A permanent refusal (5xx) is one only where it is about this mail: a wrong password is a 535, and is put right.
 * An address that cannot even be offered to a server has no answer and is refused by us.
 */
export function readError({ message, code = '', responseCode }: SmtpError): Delivery {
  const error = message;
  if (!OF_THE_MAIL.has(code)) return { outcome: 'away', error };
  return { outcome: responseCode === undefined || responseCode >= 500 ? 'refused' : 'later', error };
}
