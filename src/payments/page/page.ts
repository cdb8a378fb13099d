import type { EnvironmentName } from '../../identity/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { EntityDescription } from '../handlers.ts';
import type { DeclineReason } from '../provider.ts';
import type { PaymentSession } from '../sessions.sql.ts';
import { isOver } from '../sessions.ts';
import { TEST_CARDS, testCards } from '../test-cards.ts';
import { day, minute, money } from './format.ts';
import { Html, html } from './html.ts';
import { STYLE } from './style.ts';

/** What a customer sees of a session. */
export interface PageView {
  readonly session: PaymentSession;
  /** Null where upstream no longer knows what it was for: the amount is shown all the same. */
  readonly entity: EntityDescription | null;
  /** The merchant's name, where the entity does not say it. */
  readonly seller: string;
  /** Effective now for the session. */
  readonly now: Instant;
  /** What went wrong with what was just sent. */
  readonly problem?: 'choose a card' | 'not payable';
}

const LINES_SHOWN = 12;
const BRANDS: Readonly<Record<string, string>> = { visa: 'Visa', mastercard: 'Mastercard' };

const DECLINES: Readonly<Record<DeclineReason, string>> = {
  card_declined: 'The card was declined.',
  insufficient_funds: 'The card has insufficient funds.',
};

/** The hosted page `/pay/{id}` for the state that the session is in. */
export function checkoutPage(view: PageView): string {
  const { session, now } = view;
  switch (session.status) {
    case 'completed':
      return completedPage(view);
    case 'processing':
      return endPage(view, 'Your payment is on its way', 'The bank has not answered yet. You can close this page.');
    case 'expired':
      return expiredPage(view);
    case 'cancelled':
      return endPage(view, 'This payment was cancelled', 'Nothing was charged.');
    case 'pending':
    case 'failed':
      return isOver(session, now) ? expiredPage(view) : openPage(view);
  }
}

/** For an address that stands for no session. */
export const unknownPage = (environment: EnvironmentName): string =>
  document(
    'Payment link not found',
    environment,
    html`<div class="sheet narrow"><section class="end">${mark('question')}
<h1>This payment link does not exist</h1>
<p class="soft">Check that you have the whole address, or ask whoever sent it for a new one.</p>
</section></div>`,
  );

function openPage(view: PageView): string {
  const { session } = view;
  const isPayment = session.mode === 'payment';
  const deed = isPayment ? `Pay ${money(session.amount, session.currency)}` : 'Save card';
  const heading = isPayment ? 'Pay by card' : 'Save a card';
  const problem = problemOf(view);
  return document(
    `${problem ? 'Not paid yet – ' : ''}${deed} – ${sellerOf(view)}`,
    'sandbox',
    html`<div class="sheet two">
${summary(view)}
<section aria-labelledby="pay">
<h2 id="pay">${heading}</h2>
${problem && html`<div class="notice" role="alert"><strong>${problem.title}</strong>${problem.text}</div>`}
<form method="post" action="${session.id}">
<fieldset><legend>Choose a test card</legend>
${TEST_CARDS.map(cardChoice)}
</fieldset>
<button type="submit">${deed}</button>
</form>
<p class="fine">This link works until ${minute(session.expires_at)}.</p>
${back(session.failure_redirect_url, html`Cancel and return to <bdi>${sellerOf(view)}</bdi>`)}
</section>
</div>`,
  );
}

function problemOf({ session, problem }: PageView): { title: string; text: string } | null {
  if (problem === 'choose a card') return { title: 'Choose a card.', text: 'Nothing was charged.' };
  if (problem === 'not payable')
    return {
      title: 'This can no longer be paid here.',
      text: 'Nothing was charged. Ask for a new link if you still owe it.',
    };
  if (session.status !== 'failed' || session.failure_reason === null) return null;
  return { title: DECLINES[session.failure_reason], text: 'Nothing was charged. Try another card.' };
}

function cardChoice(card: (typeof TEST_CARDS)[number]): Html {
  const { brand, last4, label } = testCards[card];
  return html`<label class="card"><input type="radio" name="paymentMethod" value="${card}" required${card === 'pm_ok' ? new Html(' checked') : null}>
<span><span class="face">${BRANDS[brand] ?? brand} <span class="unseen">ending in</span><span aria-hidden="true">••••</span> ${last4}</span><span class="note">${label}</span></span></label>
`;
}

/** What is paid for. The big figure is what the session charges; the lines are upstream's. */
function summary(view: PageView): Html {
  const { session, entity } = view;
  const isPayment = session.mode === 'payment';
  return html`<section class="summary">
<p class="seller"><bdi>${sellerOf(view)}</bdi></p>
<h1 dir="auto">${titleOf(view)}</h1>
${isPayment ? html`<p class="amount">${money(session.amount, session.currency)}</p>` : html`<p class="lead">Your card is kept for later payments. Nothing is charged now.</p>`}
${entity?.dueAt ? html`<p class="soft">Due ${day(entity.dueAt)}</p>` : null}
${isPayment && entity && entity.lines.length > 0 ? lineTables(entity, session) : null}
</section>`;
}

function lineTables({ lines, currency }: EntityDescription, session: PaymentSession): Html {
  const rows = lines.map(
    (line) =>
      html`<tr><th scope="row" dir="auto">${line.description}</th><td>${money(line.amount, currency)}</td></tr>\n`,
  );
  const rest = rows.slice(LINES_SHOWN);
  const total = html`<tfoot><tr><th scope="row">To pay</th><td>${money(session.amount, session.currency)}</td></tr></tfoot>`;
  if (rest.length === 0)
    return html`<table><caption class="unseen">What you pay for</caption><tbody>${rows}</tbody>${total}</table>`;
  return html`<table><caption class="unseen">What you pay for</caption><tbody>${rows.slice(0, LINES_SHOWN)}</tbody></table>
<details><summary>${String(rest.length)} more ${rest.length === 1 ? 'line' : 'lines'}</summary><table><caption class="unseen">The other lines</caption><tbody>${rest}</tbody></table></details>
<table><caption class="unseen">In all</caption>${total}</table>`;
}

function completedPage(view: PageView): string {
  const { session } = view;
  const isPayment = session.mode === 'payment';
  const heading = isPayment ? 'Payment received' : 'Card saved';
  return document(
    `${heading} – ${sellerOf(view)}`,
    'sandbox',
    html`<div class="sheet narrow"><section class="end">${mark('check')}
<h1>${heading}</h1>
<p class="soft">${isPayment ? html`<bdi>${sellerOf(view)}</bdi> has received your payment.` : html`<bdi>${sellerOf(view)}</bdi> can charge it for what you agree to.`}</p>
${isPayment ? html`<p class="amount">${money(session.amount, session.currency)}</p>` : null}
<p class="soft" dir="auto">${titleOf(view)}</p>
${session.completed_at && html`<p class="soft">${minute(session.completed_at)}</p>`}
${session.success_redirect_url === null ? html`<p class="fine">You can close this page.</p>` : back(session.success_redirect_url, html`Return to <bdi>${sellerOf(view)}</bdi>`, 'button')}
</section></div>`,
  );
}

const expiredPage = (view: PageView): string =>
  view.session.mode === 'payment'
    ? endPage(
        view,
        'This payment link has expired',
        view.entity?.nextSession === undefined
          ? 'Nothing was charged. Ask for a new link if you still want to pay.'
          : 'Nothing was charged. You can still pay with a new link.',
        view.entity?.nextSession,
      )
    : endPage(view, 'This link has expired', 'No card was saved. Ask for a new link if you still want to save one.');

function endPage(view: PageView, heading: string, text: string, nextSession?: string): string {
  return document(
    `${heading} – ${sellerOf(view)}`,
    'sandbox',
    html`<div class="sheet narrow"><section class="end">${mark('clock')}
<h1>${heading}</h1>
<p class="soft">${text}</p>
<p class="soft" dir="auto">${titleOf(view)}</p>
${nextSession === undefined ? null : html`<a class="button" href="${nextSession}">Open a new payment page</a>`}
${back(view.session.failure_redirect_url, html`Return to <bdi>${sellerOf(view)}</bdi>`, nextSession === undefined ? 'button' : 'link')}
</section></div>`,
  );
}

/** A way back to the merchant, where it gave one; the address was checked when the session was opened. */
const back = (url: string | null, text: Html, kind: 'link' | 'button' = 'link'): Html | null => {
  if (url === null) return null;
  return kind === 'button'
    ? html`<a class="button" rel="noreferrer" href="${url}">${text}</a>`
    : html`<p class="fine"><a rel="noreferrer" href="${url}">${text}</a></p>`;
};

const sellerOf = ({ entity, seller }: PageView): string => entity?.seller ?? seller;

function titleOf({ session, entity }: PageView): string {
  if (!entity) return session.mode === 'setup' ? 'Payment method' : (session.entity_label ?? 'Payment');
  return entity.number ? `${entity.title} ${entity.number}` : entity.title;
}

const MARKS = {
  check: 'M4 12.5 9.5 18 20 7',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 7.5V12l3 2',
  question: 'M9 9a3 3 0 1 1 4.2 2.75c-.8.4-1.2 1-1.2 1.75v.5M12 17.5v.1',
} as const;

const mark = (name: keyof typeof MARKS): Html =>
  html`<svg class="mark${name === 'check' ? ' good' : ''}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${MARKS[name]}"/></svg>`;

/** The frame of every page: no script, no resource from anywhere, one style sheet whose hash the policy names. */
const document = (title: string, environment: EnvironmentName, body: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
${environment === 'sandbox' ? html`<p class="test">Sandbox: test cards only, no money moves.</p>` : null}
<main>
${body}
</main>
<footer>Powered by Reckoner</footer>
</body>
</html>
`.text;
