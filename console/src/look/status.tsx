import { wordsOf } from './words.ts';

type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'calm';

/** Drawn, because fonts lack such signs. */
const SHAPES: Readonly<Record<Tone, string>> = {
  good: 'M5 1a4 4 0 1 0 0 8a4 4 0 0 0 0-8z',
  bad: 'M5 1L9.5 9H.5z',
  warn: 'M5 .5L9.5 5L5 9.5L.5 5z',
  busy: 'M5 1a4 4 0 0 0 0 8z M5 1a4 4 0 0 1 0 8v-1a3 3 0 0 0 0-6z',
  calm: 'M5 1a4 4 0 1 0 0 8a4 4 0 0 0 0-8zm0 1.2a2.8 2.8 0 1 1 0 5.6a2.8 2.8 0 0 1 0-5.6z',
};

/** The shape of a tone. */
export const Shape = ({ tone }: { readonly tone: Tone }) => (
  <svg className={`shape ${tone}`} viewBox="0 0 10 10" aria-hidden="true">
    <path d={SHAPES[tone]} fillRule="evenodd" />
  </svg>
);

const TONES: Readonly<Record<Tone, string>> = {
  good: 'PAID active published applied enabled succeeded completed delivered sent paid valid processed won decided approved connected resolved counted',
  bad: 'PAYMENT_FAILED FAILED failed failing overdue invalid declined rejected reversed lost unpaid dead error disputed refused exhausted',
  warn: 'DRAFT ISSUED pending pending_payment awaiting_approval requires_action held open waiting past_due unmatched unbilled scheduled returned paused unapplied',
  busy: 'ACTIVE CLOSING CLOSED CALCULATING processing advancing sending retrying',
  calm: 'CANCELLED WRITTEN_OFF cancelled terminated expired archived disabled voided refunded draft ended inactive disconnected revoked ignored',
};

const toneByStatus = new Map(
  Object.entries(TONES).flatMap(([tone, names]) => names.split(' ').map((name) => [name, tone as Tone] as const)),
);

/** Words that say more than the name of the state. */
const WORDS = new Map([
  ['ACTIVE', 'Open period'],
  ['CLOSED', 'Being calculated'],
  ['CALCULATING', 'Being calculated'],
  ['DRAFT', 'Waiting for approval'],
  ['ISSUED', 'Waiting for payment'],
  ['FAILED', 'Calculation failed'],
]);

/** The words of a state. */
export const statusWords = (status: string): string => WORDS.get(status) ?? wordsOf(status);

/** A state by word, shape and colour. */
export function Status({ of }: { readonly of: string | null | undefined }) {
  if (!of) return <span className="soft">—</span>;
  const tone = toneByStatus.get(of) ?? 'calm';
  return (
    <span className={`status ${tone}`}>
      <Shape tone={tone} />
      <span>{statusWords(of)}</span>
    </span>
  );
}
