import { useRead } from '../../api/queries.ts';
import type { Commitment, Subscription } from '../../api/types.ts';
import { Ref } from '../../frame/to.tsx';
import { Day, Money, moneyText, Period, percentText, quantityText } from '../../look/figures.tsx';
import { statusWords } from '../../look/status.tsx';
import { wordsOf } from '../../look/words.ts';
import { Deed } from '../../shape/deed.tsx';
import { Rows } from '../../shape/fields.tsx';
import type { OwnInputProps } from '../../shape/form.tsx';
import { Table } from '../../shape/list.tsx';
import { Facts, Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';

/** The coupons that a subscription has redeemed: less for service that begins in a window. */
export function Coupons({ subscription: { id, status } }: { readonly subscription: Subscription }) {
  const asked = useRead('GET /v0/subscriptions/{id}/coupons', { path: { id } });
  return (
    <Sheet
      title="Coupons"
      flush
      actions={
        status !== 'terminated' && (
          <Deed
            label="Redeem a coupon"
            verb="Redeem"
            operation="POST /v0/subscriptions/{id}/coupons"
            path={{ id }}
            fields={['code', 'couponId', 'from']}
            effects={[]}
            undo="It can be ended; what it gave stays."
          />
        )
      }
    >
      <Part of={asked}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="empty soft">None.</p>
          ) : (
            <Table
              rows={data}
              rowKey={(row) => row.id}
              columns={[
                { name: 'Coupon', cell: ({ couponId }) => <Ref id={couponId} /> },
                { name: 'From', cell: ({ from }) => <Day at={from} /> },
                { name: 'Until', cell: ({ until }) => <Day at={until} /> },
                {
                  name: 'Given',
                  cell: ({ totalDiscount, currency }) => <Money value={totalDiscount} currency={currency} />,
                  isFigure: true,
                },
                {
                  name: '',
                  cell: (row) => (
                    <Deed
                      label="End"
                      verb="End the coupon"
                      operation="DELETE /v0/subscriptions/{id}/coupons/{redemptionId}"
                      path={{ id, redemptionId: row.id }}
                      facts={[['Given', moneyText(row.totalDiscount, row.currency)]]}
                      effects={['It gives nothing for service that begins from now on.']}
                      isDangerous
                    />
                  ),
                },
              ]}
            />
          )
        }
      </Part>
    </Sheet>
  );
}

interface CommitmentsProps {
  readonly customerId: string;
  /** Of this one alone; absent: all of the customer, and new ones are of all its subscriptions. */
  readonly subscription?: Subscription;
  readonly currency: string | null | undefined;
}

/** What a customer promised to spend over a term. */
export function Commitments({ customerId, subscription, currency }: CommitmentsProps) {
  const subscriptionId = subscription?.id;
  const asked = useRead('GET /v0/commitments', {
    query: { limit: 50, ...(subscriptionId === undefined ? { customerId } : { subscriptionId }) },
  });
  return (
    <>
      <Sheet
        title="Commitments"
        actions={
          subscription?.status !== 'terminated' &&
          (['prepaid', 'postpaid'] as const).map((type) => (
            <Deed
              key={type}
              label={`New ${type} commitment`}
              verb="Make the commitment"
              operation="POST /v0/commitments"
              fields={['name', 'currency', 'segments', ...TERMS[type]]}
              more={[
                ...['onEnd', 'priority', 'appliesTo.*', 'overrides', ...MORE_TERMS[type]],
                ...(subscriptionId === undefined ? ['orderId'] : []),
              ]}
              labels={{
                currency: 'Currency',
                overrides: 'Agreed prices',
                'rollover.fraction': 'Rollover',
                'rollover.days': 'Rollover days',
              }}
              initial={{ currency: currency ?? '', segments: [{}] }}
              fixed={{ customerId, type, ...(subscriptionId !== undefined && { subscriptionId }) }}
              inputs={INPUTS}
              effects={[]}
              undo="It can be ended before its term."
            />
          ))
        }
      >
        <Part of={asked}>
          {({ data }) => <p className="soft">{data.length === 0 ? 'None.' : 'An amount for each part of a term.'}</p>}
        </Part>
      </Sheet>
      {asked.data?.data.map((commitment) => (
        <Term key={commitment.id} commitment={commitment} />
      ))}
    </>
  );
}

const TERMS = { prepaid: ['availableOn'], postpaid: ['trueUp'] };
const MORE_TERMS = { prepaid: ['rollover.*', 'invoiceAt'], postpaid: [] };

/** Each segment begins where the one before it ends. */
const INPUTS = {
  segments: (props: OwnInputProps) => <Rows {...props} next={({ endDate }) => ({ startDate: endDate })} />,
};

/** One commitment: its segments, and how it is asked. */
function Term({ commitment }: { readonly commitment: Commitment }) {
  const { id, name, currency, type, status, segments, rollover, invoiceAt, subscriptionId } = commitment;
  const figures = FIGURES[type];
  return (
    <Sheet
      title={`${name}: ${statusWords(status)}`}
      flush
      actions={
        status !== 'ended' && (
          <>
            <Deed label="Edit" verb="Save" operation="PATCH /v0/commitments/{id}" path={{ id }} before={commitment} />
            <Deed
              label="End"
              verb="End the commitment"
              operation="POST /v0/commitments/{id}/end"
              path={{ id }}
              facts={[
                ['Commitment', name],
                ['An early end asks', wordsOf(commitment.onEnd)],
              ]}
              effects={[]}
              undo="This cannot be undone."
              isDangerous
            />
          </>
        )
      }
    >
      <Table
        rows={segments}
        rowKey={({ startDate }) => startDate}
        columns={[
          { name: 'Term', cell: ({ startDate, endDate }) => <Period start={startDate} end={endDate} /> },
          ...figures.map(([figure, words]) => ({
            name: words,
            cell: (row: (typeof segments)[number]) => <Money value={row[figure]} currency={currency} />,
            isFigure: true,
          })),
          { name: 'Pace', cell: ({ pace }) => (pace === null ? '—' : quantityText(pace)), isFigure: true },
          { name: 'Invoice', cell: ({ invoiceId }) => <Ref id={invoiceId} /> },
        ]}
      />
      <div className="foot">
        <Facts
          of={[
            ['Type', wordsOf(type)],
            ['Of', subscriptionId === null ? 'All subscriptions' : <Ref key="of" id={subscriptionId} />],
            ['Available on', commitment.availableOn && wordsOf(commitment.availableOn)],
            ['Rollover', rollover && `${percentText(rollover.fraction)} for ${rollover.days} days`],
            ['True-up', commitment.trueUp && `At the end of the ${commitment.trueUp}`],
            [
              'Invoiced',
              Array.isArray(invoiceAt) &&
                invoiceAt.map(({ date, amount, invoiceId }) => (
                  <span className="block" key={date}>
                    <Day at={date} />: <Money value={amount} currency={currency} />{' '}
                    {invoiceId !== null && <Ref id={invoiceId} />}
                  </span>
                )),
            ],
          ]}
        />
      </div>
    </Sheet>
  );
}

const FIGURES = {
  prepaid: [
    ['amount', 'Prepaid'],
    ['spent', 'Used'],
    ['remaining', 'Left'],
  ],
  postpaid: [
    ['amount', 'Promised'],
    ['spent', 'Spent'],
    ['shortfall', 'Missing'],
  ],
} as const;
