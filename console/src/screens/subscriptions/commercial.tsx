import { useMemo } from 'react';
import { useRead } from '../../api/queries.ts';
import type { Commitment, Subscription } from '../../api/types.ts';
import { Ref, To } from '../../frame/to.tsx';
import { Day, Money, moneyText, Period, percentText } from '../../look/figures.tsx';
import { statusWords } from '../../look/status.tsx';
import { valueWords, wordsOf } from '../../look/words.ts';
import { Deed } from '../../shape/deed.tsx';
import { Percent, Rows } from '../../shape/fields.tsx';
import type { OwnInputProps } from '../../shape/form.tsx';
import { Table } from '../../shape/list.tsx';
import { Facts, Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';
import { givenText } from '../catalog/coupons.tsx';
import { overridesInput, termsOf } from './prices.tsx';

/** The coupons that a subscription has redeemed: less for service that begins in a window. */
export function Coupons({ subscription: { id, status } }: { readonly subscription: Subscription }) {
  const asked = useRead('GET /v0/subscriptions/{id}/coupons', { path: { id } });
  const coupons = useRead('GET /v0/coupons', { query: { limit: 100 } });
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
            labels={{ couponId: 'Or the coupon by its name', from: 'From' }}
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
                {
                  name: 'Coupon',
                  cell: ({ couponId, remainingAmount, currency }) => {
                    const coupon = coupons.data?.data.find((each) => each.id === couponId);
                    return (
                      <span>
                        <Ref id={couponId} name={coupon?.name} />
                        <span className="soft fine block">
                          {coupon && givenText(coupon)}
                          {remainingAmount !== null && `, ${moneyText(remainingAmount, currency)} left`}
                        </span>
                      </span>
                    );
                  },
                },
                {
                  name: 'For service that begins',
                  cell: ({ from, until }) =>
                    until === null ? (
                      <>
                        from <Day at={from} />
                      </>
                    ) : (
                      <Period start={from} end={until} />
                    ),
                },
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
  const { planId, planVersionNumber: versionNumber } = subscription ?? {};
  const inputs = useMemo(
    () => ({
      ...INPUTS,
      ...(planId !== undefined && {
        overrides: overridesInput({ planId, ...(versionNumber !== undefined && { versionNumber }) }),
      }),
    }),
    [planId, versionNumber],
  );
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
                onEnd: 'An early end asks',
                'rollover.fraction': 'Rollover',
                'rollover.days': 'Rollover days',
              }}
              initial={{ currency: currency ?? '', segments: [{}], ...DEFAULTS[type] }}
              fixed={{ customerId, type, ...(subscriptionId !== undefined && { subscriptionId }) }}
              inputs={inputs}
              effects={[]}
              without={type === 'prepaid' ? /^Postpaid/ : /^Prepaid/}
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
const DEFAULTS = { prepaid: { availableOn: 'issue', onEnd: 'owed' }, postpaid: { trueUp: 'segment', onEnd: 'owed' } };
const MORE_TERMS = { prepaid: ['rollover.*', 'invoiceAt'], postpaid: [] };

const INPUTS = {
  'rollover.fraction': Percent,
  /** Each segment begins where the one before it ends. */
  segments: (props: OwnInputProps) => <Rows {...props} next={({ endDate }) => ({ startDate: endDate })} />,
};

/** One commitment: its segments, and how it is asked. */
function Term({ commitment }: { readonly commitment: Commitment }) {
  const { id, name, currency, type, status, segments, rollover, invoiceAt, subscriptionId, overrides } = commitment;
  const figures = FIGURES[type];
  const charges = chargesOf(commitment.appliesTo);
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
                ['An early end asks', valueWords('onEnd', commitment.onEnd)],
              ]}
              effects={[END_EFFECTS[type][commitment.onEnd]]}
              undo="This cannot be undone. What it asks can be changed before, under Edit."
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
          {
            name: 'Pace',
            cell: ({ pace, forecast }) =>
              pace === null ? (
                '—'
              ) : (
                <span title="What is spent, of what an even pace would have spent. Below: what it comes to by the end.">
                  {percentText(pace)}
                  <span className="soft fine block">
                    <Money value={forecast} currency={currency} />
                  </span>
                </span>
              ),
            isFigure: true,
          },
          { name: 'Invoice', cell: ({ invoiceId }) => <Ref id={invoiceId} /> },
        ]}
      />
      <div className="foot">
        <Facts
          of={[
            ['Type', wordsOf(type)],
            ['For', subscriptionId === null ? 'All subscriptions' : <Ref key="for" id={subscriptionId} />],
            ['Charges', charges.length > 0 ? charges : 'All'],
            ['Credits begin', commitment.availableOn && valueWords('availableOn', commitment.availableOn)],
            [
              'Billing credits',
              type === 'prepaid' && (
                <To key="credits" path={`/customers/${commitment.customerId}?tab=credits`}>
                  What is left of them
                </To>
              ),
            ],
            ['Rollover', rollover && `${percentText(rollover.fraction)} for ${rollover.days} days`],
            ['True-up', commitment.trueUp && valueWords('trueUp', commitment.trueUp)],
            ['An early end asks', status !== 'ended' && valueWords('onEnd', commitment.onEnd)],
            [
              'Agreed prices',
              overrides.length > 0 &&
                overrides.map((each) => (
                  <span className="block" key={`${each.priceId} ${each.from}`}>
                    <Ref id={each.priceId} />: {termsOf(each).join(', ') || 'other numbers'}
                  </span>
                )),
            ],
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

const END_EFFECTS = {
  prepaid: {
    owed: 'All amounts that are still to come are invoiced now. Its billing credits stay.',
    prorated: 'What is invoiced is brought to the part of the term that is over, by a credit. Its billing credits end.',
    waived: 'Nothing more is invoiced. Its billing credits stay.',
  },
  postpaid: {
    owed: 'What is missing to all segments is invoiced, also to those that are still to come.',
    prorated: 'What is missing to the part of the running segment that is over is invoiced.',
    waived: 'Nothing is invoiced for the running segment and those that are still to come.',
  },
};

/** The charges that a credit or a commitment is for; nothing where it is for all. */
export const chargesOf = (appliesTo: Commitment['appliesTo']) =>
  Object.values<readonly string[]>({ ...appliesTo })
    .flat()
    .map((id, at) => (
      <span key={id}>
        {at > 0 && ', '}
        <Ref id={id} />
      </span>
    ));

const FIGURES = {
  prepaid: [
    ['amount', 'Prepaid'],
    ['spent', 'Spent'],
    ['remaining', 'To spend'],
  ],
  postpaid: [
    ['amount', 'Promised'],
    ['spent', 'Spent'],
    ['shortfall', 'Missing'],
  ],
} as const;
