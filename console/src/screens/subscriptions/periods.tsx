import { useRead } from '../../api/queries.ts';
import type { Invoice, Subscription } from '../../api/types.ts';
import { To } from '../../frame/to.tsx';
import { Day, Money, Period } from '../../look/figures.tsx';
import { periodAt, type Span } from '../../look/periods.ts';
import { Status } from '../../look/status.tsx';
import { cadenceWords, wordsOf } from '../../look/words.ts';
import { Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';

/** How many periods of a series are shown. */
const SHOWN = 12;

/** The periods of a subscription on a line of time: what was, what is, and what comes; each with its invoice. */
export function Periods({ subscription }: { readonly subscription: Subscription }) {
  const { id } = subscription;
  const asked = useRead('GET /v2/invoices', { query: { subscriptionId: id, limit: 100 } });
  return (
    <Sheet title="Periods" actions={<To path={`/customers/${subscription.customerId}?tab=invoices`}>All invoices</To>}>
      <Part of={asked}>
        {({ data }) => {
          const series = Map.groupBy(data, ({ kind, billingCadence }) =>
            kind === 'subscription' ? billingCadence : kind,
          );
          if (series.size === 0) return <p className="soft">No period has begun.</p>;
          return (
            <div className="stack tight">
              {[...series].map(([name, invoices]) => (
                <Series
                  key={name}
                  name={name.startsWith('P') ? cadenceWords(name) : 'beside the periods'}
                  invoices={invoices.toSorted((a, b) => a.periodStart.localeCompare(b.periodStart)).slice(-SHOWN)}
                  next={name.startsWith('P') ? nextOf(invoices, subscription) : null}
                />
              ))}
            </div>
          );
        }}
      </Part>
    </Sheet>
  );
}

/** The period after the open one; null where the subscription ends before. */
function nextOf(invoices: readonly Invoice[], { status, endingAt }: Subscription): Span | null {
  const open = invoices.find((each) => each.status === 'ACTIVE');
  if (status !== 'active' || !open) return null;
  const next = periodAt(open.billingAnchor, open.billingCadence, open.periodEnd);
  if (!next || (endingAt !== null && new Date(endingAt) <= new Date(next.start))) return null;
  return endingAt !== null && new Date(endingAt) < new Date(next.end) ? { ...next, end: endingAt } : next;
}

function Series({
  name,
  invoices,
  next,
}: {
  readonly name: string;
  readonly invoices: readonly Invoice[];
  readonly next: Span | null;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section className="strip-box" tabIndex={0} aria-label={`Periods, ${name}`}>
      <ol className="strip">
        {invoices.map((invoice) => (
          <li key={invoice.id} className={invoice.status === 'ACTIVE' ? 'present' : undefined}>
            <span className="fine soft">
              {invoice.kind === 'subscription' ? (
                <Period start={invoice.periodStart} end={invoice.periodEnd} />
              ) : (
                <>
                  {wordsOf(invoice.kind)}, <Day at={invoice.periodStart} />
                </>
              )}
            </span>
            <To path={`/invoices/${invoice.id}`}>
              <Money value={invoice.grandTotal} currency={invoice.currency} />
            </To>
            <span className="fine">
              <Status of={invoice.status} />
            </span>
          </li>
        ))}
        {next && (
          <li className="next">
            <span className="fine soft">
              <Period start={next.start} end={next.end} />
            </span>
            <span className="soft">Next period</span>
          </li>
        )}
      </ol>
    </section>
  );
}
