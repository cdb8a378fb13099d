import { useNavigate } from '@tanstack/react-router';
import { decimal } from '../../../../src/kernel/decimal.ts';
import { useRead } from '../../api/queries.ts';
import type { Grant, MeteredEntitlementDetail } from '../../api/types.ts';
import { usePlace } from '../../frame/places.ts';
import { Ref, shortId } from '../../frame/to.tsx';
import { dayText, Moment, Quantity, quantityText } from '../../look/figures.tsx';
import { Status } from '../../look/status.tsx';
import { cadenceWords } from '../../look/words.ts';
import { Deed } from '../../shape/deed.tsx';
import { Table } from '../../shape/list.tsx';
import { Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';
import { textOf } from '../../shape/values.ts';

const FIELDS = ['amount', 'effectiveAt', 'expiresAt', 'recurrencePeriod'];
const MORE = ['priority', 'resetMaxRollover', 'resetMinRollover'];
const LABELS = {
  amount: 'Units',
  effectiveAt: 'Counts from',
  expiresAt: 'Counts until',
  recurrencePeriod: 'Full again after each',
  resetMaxRollover: 'A reset carries over at most',
  resetMinRollover: 'After a reset at least',
};
const SALE_FIELDS = ['amount', 'price', 'currency', 'expiresAt'];
const SALE_MORE = [
  'effectiveAt',
  'paymentExpiresAt',
  'successUrl',
  'cancelUrl',
  'resetMaxRollover',
  'resetMinRollover',
];
const SALE_LABELS = { ...LABELS, price: 'Price without tax' };

interface Props {
  readonly entitlement: MeteredEntitlementDetail;
}

const sumText = (a: number | string, b: number | string): string => quantityText(decimal(a).plus(b).toFixed());

/** What usage is taken from, the first in order first; units can be given, sold and taken away. */
export function Grants({ entitlement }: Props) {
  const { id, status } = entitlement;
  const asked = useRead('GET /v1/entitlements/{id}/grants', {
    path: { id },
    query: { includeVoided: true, limit: 100 },
  });
  const history = useRead('GET /v1/entitlements/{id}/history', { path: { id }, query: { windowSize: 'DAY' } });
  const left = new Map(history.data?.windows.at(-1)?.grants.map(({ grantId, balance }) => [grantId, balance]));
  return (
    <Sheet
      title="Grants"
      flush
      actions={
        status === 'active' && (
          <>
            <Sell entitlement={entitlement} />
            <Give entitlement={entitlement} />
          </>
        )
      }
    >
      <Part of={asked}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="empty soft">No grant yet: there is nothing to use.</p>
          ) : (
            <Table
              rows={data}
              rowKey={(row) => row.id}
              columns={[
                {
                  name: 'Grant',
                  cell: ({ id: grantId, priority }) => (
                    <span>
                      <code className="figure" title={grantId}>
                        {shortId(grantId)}
                      </code>
                      <span className="block soft fine">priority {priority}</span>
                    </span>
                  ),
                },
                { name: 'Status', cell: (row) => <Status of={stateOf(row, left.has(row.id))} /> },
                { name: 'Units', cell: ({ amount }) => <Quantity value={amount} />, isFigure: true },
                { name: 'Left', cell: (row) => <Quantity value={left.get(row.id)} />, isFigure: true },
                {
                  name: 'Counts',
                  cell: ({ effectiveAt, expiresAt }) => (
                    <span>
                      from <Moment at={effectiveAt} />
                      <span className="block">
                        {expiresAt ? (
                          <>
                            until <Moment at={expiresAt} />
                          </>
                        ) : (
                          'without end'
                        )}
                      </span>
                    </span>
                  ),
                },
                {
                  name: 'Again',
                  cell: ({ recurrencePeriod }) => (recurrencePeriod === null ? '—' : cadenceWords(recurrencePeriod)),
                },
                {
                  name: '',
                  cell: (row) =>
                    row.voidedAt === null ? (
                      <Void entitlement={entitlement} grant={row} left={left.get(row.id)} />
                    ) : null,
                },
              ]}
            />
          )
        }
      </Part>
    </Sheet>
  );
}

const stateOf = ({ voidedAt }: Grant, counts: boolean): string => {
  if (voidedAt !== null) return 'voided';
  return counts ? 'active' : 'inactive';
};

const factsOf = ({ featureKey, customerId, balance }: MeteredEntitlementDetail) =>
  [
    ['Feature', featureKey],
    ['Customer', <Ref key="customer" id={customerId} />],
    ['Balance now', quantityText(balance)],
  ] as const;

/** What the balance is after the amount that was typed; usage beyond the balance is taken from it first. */
function Effect({ entitlement, body }: Props & { readonly body: Readonly<Record<string, unknown>> }) {
  const amount = textOf(body.amount ?? '');
  if (!/^\d+(\.\d+)?$/.test(amount)) return null;
  const after = decimal(entitlement.balance).plus(amount).minus(entitlement.overage);
  const from = typeof body.effectiveAt === 'string' ? `from ${dayText(body.effectiveAt)}` : 'at once';
  return (
    <p className="note">
      Balance {from}: {quantityText(entitlement.balance)} + {quantityText(amount)}
      {!decimal(entitlement.overage).isZero() && ` − ${quantityText(entitlement.overage)} used beyond the balance`} ={' '}
      <strong>{quantityText((after.lt(0) ? decimal(0) : after).toFixed())}</strong>
    </p>
  );
}

const Give = ({ entitlement }: Props) => (
  <Deed
    label="Add a grant"
    operation="POST /v1/entitlements/{id}/grants"
    path={{ id: entitlement.id }}
    facts={factsOf(entitlement)}
    fields={FIELDS}
    more={MORE}
    labels={LABELS}
    effects={['Nothing is billed.']}
    undo="Undone by voiding it; what was used of it stays used."
    preview={(body) => <Effect entitlement={entitlement} body={body} />}
  />
);

function Sell({ entitlement }: Props) {
  const navigate = useNavigate();
  const place = usePlace();
  return (
    <Deed
      label="Sell units"
      verb="Make the invoice"
      operation="POST /v1/entitlements/{id}/grants/purchase"
      path={{ id: entitlement.id }}
      facts={factsOf(entitlement)}
      fields={SALE_FIELDS}
      more={SALE_MORE}
      labels={SALE_LABELS}
      fixed={{ idempotencyKey: crypto.randomUUID() }}
      effects={['The customer gets the units once the invoice is paid on its payment page.']}
      undo="Undone by cancelling the invoice before it is paid."
      done={({ invoiceId }) => void navigate({ to: place(`/invoices/${invoiceId}`) })}
    />
  );
}

function Void({
  entitlement,
  grant,
  left,
}: Props & { readonly grant: Grant; readonly left: number | string | undefined }) {
  const taken = left ?? 0;
  return (
    <Deed
      label="Void"
      verb="Void the grant"
      operation="DELETE /v1/entitlements/{id}/grants/{grantId}"
      path={{ id: entitlement.id, grantId: grant.id }}
      facts={[...factsOf(entitlement), ['Grant', `${quantityText(grant.amount)} units, ${quantityText(taken)} left`]]}
      effects={[
        `The balance goes from ${quantityText(entitlement.balance)} to ${sumText(entitlement.balance, decimal(taken).neg().toFixed())}.`,
      ]}
      undo="This cannot be undone; another grant can be added."
      isDangerous
    />
  );
}
