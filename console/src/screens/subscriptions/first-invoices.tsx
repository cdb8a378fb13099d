import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { Day } from '../../look/figures.tsx';
import { Failed, Loading } from '../../shape/states.tsx';
import { InvoiceLines } from './lines.tsx';

type Body = Readonly<Record<string, unknown>>;

/** What the server needs before it can say anything; a name is not among it. */
const NEEDED = ['customerId', 'planId', 'startedAt'];

/** Before a subscription is made: what the server would invoice, and when. */
export function FirstInvoices({ body }: { readonly body: Body }) {
  const isComplete = NEEDED.every((name) => body[name]);
  const { data, error, isFetching } = useQuery({
    queryKey: ['subscription preview', body],
    queryFn: () => call('POST /v0/subscriptions/preview', { body: { ...body, name: body.name ?? '–' } as never }),
    enabled: isComplete,
    retry: false,
    placeholderData: keepPreviousData,
  });
  if (!isComplete) return <p className="note">Choose a customer and a plan to see what will be invoiced.</p>;
  if (error) return <Failed error={error} />;
  if (!data) return <Loading />;
  const { billingStartsAt, upfrontInvoice, upcomingInvoice } = data;
  return (
    <section className="sheet flush" aria-label="What will be invoiced" aria-busy={isFetching}>
      <header>
        <h2>What will be invoiced</h2>
      </header>
      <h3 className="foot">
        When billing starts, on <Day at={billingStartsAt} />
      </h3>
      {upfrontInvoice ? (
        <>
          <InvoiceLines invoice={upfrontInvoice} />
          <p className="foot soft fine">{paidBy(body)}</p>
        </>
      ) : (
        <p className="foot soft">Nothing: no price of this plan is in advance. The subscription is active at once.</p>
      )}
      {upcomingInvoice && (
        <>
          <h3 className="foot">
            On <Day at={upcomingInvoice.periodEnd} />, with the usage until then
          </h3>
          <InvoiceLines invoice={upcomingInvoice} />
        </>
      )}
    </section>
  );
}

/** How what is invoiced at once gets paid. */
function paidBy({ autoCharge, bankTransferOnly }: Body): string {
  if (bankTransferOnly === true) return 'The customer gets an invoice and pays it by bank transfer.';
  const page = 'The subscription is active once the customer has paid on its payment page.';
  return autoCharge === true ? `The card of the customer is charged. Without a card that works: ${page}` : page;
}
