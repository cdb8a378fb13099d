import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { usePlace } from '../../frame/places.ts';
import { Input } from '../../shape/fields.tsx';
import { Form, type OwnInputProps } from '../../shape/form.tsx';
import { Page, Sheet } from '../../shape/page.tsx';
import { localMinute } from '../../shape/values.ts';
import { FirstInvoices } from './first-invoices.tsx';
import { overridesInput, quantitiesInput } from './prices.tsx';

const FIELDS = [
  'customerId',
  'planId',
  'name',
  'startedAt',
  'quantities',
  'autoCharge',
  'bankTransferOnly',
  'paymentTermDays',
];
const SANDBOX_FIELDS = [...FIELDS, 'testClockId'];
const MORE = [
  'currency',
  'coupons',
  'priceOverrides',
  'creditsRequired',
  'endingAt',
  'prefundAmount',
  'autoApprove',
  'taxExempt',
  'sessionExpiryMinutes',
  'redirectUrls.*',
  'renewalReminderEnabled',
  'renewalReminderDays',
  'metadata',
];
const LABELS = {
  customerId: 'Customer',
  planId: 'Plan',
  startedAt: 'Starts',
  autoCharge: 'Charge the card automatically',
  bankTransferOnly: 'Bank transfer only',
  paymentTermDays: 'Days to pay',
  testClockId: 'Test clock',
  priceOverrides: 'Negotiated prices',
  endingAt: 'Ends',
  prefundAmount: 'Into the wallet',
  'redirectUrls.onSuccess': 'Address after the payment',
  'redirectUrls.onFailure': 'Address without a payment',
};
const INPUTS = { startedAt: StartInput, quantities: quantitiesInput({}, {}), priceOverrides: overridesInput({}) };

/** The start, which is the time of a test clock as soon as one is chosen. */
function StartInput({ body: { testClockId: id }, ...input }: OwnInputProps) {
  const clock = useRead('GET /v0/testClocks/{id}', { path: { id: String(id) } }, { enabled: Boolean(id) });
  const time = clock.data?.currentTime;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another time alone sets the start anew
  useEffect(() => {
    if (time) input.change(localMinute(time));
  }, [time]);
  return <Input {...input} />;
}

/** Makes a subscription; what will be invoiced and when stands beside the button. */
export function NewSubscriptionPage() {
  const navigate = useNavigate();
  const place = usePlace();
  const { data: session } = useSession();
  const { startedAt, ...known } = useSearch({ strict: false }) as Readonly<Record<string, string>>;
  return (
    <Page title="New subscription" up={{ path: '/subscriptions', name: 'Subscriptions' }}>
      <Sheet title="Agreement">
        <Form
          operation="POST /v0/subscriptions"
          fields={session?.environment === 'sandbox' ? SANDBOX_FIELDS : FIELDS}
          more={MORE}
          labels={LABELS}
          inputs={INPUTS}
          initial={{ ...known, startedAt: localMinute(startedAt ?? new Date().toISOString()) }}
          isBeside
          preview={(body) => <FirstInvoices body={body} />}
          verb="Create the subscription"
          done={({ id }) => void navigate({ to: place(`/subscriptions/${id}`) })}
          cancel={() => void navigate({ to: place('/subscriptions') })}
        />
      </Sheet>
    </Page>
  );
}
