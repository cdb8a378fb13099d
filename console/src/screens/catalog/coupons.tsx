import { Day, isPositive, moneyText, percentText, quantityText } from '../../look/figures.tsx';
import { Status } from '../../look/status.tsx';
import { Deed } from '../../shape/deed.tsx';
import { Percent } from '../../shape/fields.tsx';
import { List, type RowOf } from '../../shape/list.tsx';
import { Page } from '../../shape/page.tsx';

type Coupon = RowOf<'GET /v0/coupons'>;

const FIELDS = [
  ...['name', 'code', 'percentOff', 'amountOff', 'currency', 'duration', 'durationInPeriods', 'carriesOver'],
  ...['maxRedemptions', 'redeemBy'],
];
const MORE = ['maxRedemptionsPerCustomer', 'newCustomersOnly', 'minimumAmount', 'appliesTo.*', 'metadata'];

const INPUTS = { percentOff: Percent };

/** Every coupon of the merchant: what it gives, and how often it was redeemed. */
export const Coupons = () => (
  <Page
    title="Coupons"
    actions={
      <Deed
        label="New coupon"
        operation="POST /v0/coupons"
        fields={FIELDS}
        more={MORE}
        initial={{ duration: 'once' }}
        inputs={INPUTS}
        isPrimary
      />
    }
  >
    <List
      operation="GET /v0/coupons"
      file="coupons"
      rowKey={({ id }) => id}
      columns={[
        { name: 'Name', cell: ({ name }) => name, value: ({ name }) => name },
        { name: 'Code', cell: ({ code }) => (code ? <code>{code}</code> : '—'), value: ({ code }) => code },
        {
          name: 'Gives',
          cell: (row) => (
            <span>
              {givenText(row)}
              <span className="soft fine block">{conditionsOf(row).join(', ')}</span>
            </span>
          ),
          value: givenText,
        },
        { name: 'Status', cell: ({ status }) => <Status of={status} />, value: ({ status }) => status },
        {
          name: 'Redeemed',
          cell: (row) =>
            row.maxRedemptions === null
              ? quantityText(row.redemptionCount)
              : `${quantityText(row.redemptionCount)} of ${quantityText(row.maxRedemptions)}`,
          value: ({ redemptionCount }) => redemptionCount,
          isFigure: true,
        },
        { name: 'Redeem by', cell: ({ redeemBy }) => <Day at={redeemBy} />, value: ({ redeemBy }) => redeemBy },
        {
          name: '',
          cell: (row) => (
            <Deed
              label="Edit"
              verb="Save"
              operation="PATCH /v0/coupons/{id}"
              path={{ id: row.id }}
              before={row}
              fields={['name', 'maxRedemptions', 'redeemBy', 'archived']}
              more={['metadata']}
            />
          ),
        },
      ]}
      empty={{
        text: 'A coupon lowers what subscriptions pay for a time: by a percentage, or by an amount for each period.',
        example: {
          method: 'POST',
          path: '/v0/coupons',
          body: { name: 'Half price', code: 'SPRING50', percentOff: '0.5', duration: 'periods', durationInPeriods: 3 },
        },
      }}
    />
  </Page>
);

/** `50% for 3 periods`. */
export function givenText({ percentOff, amountOff, currency, duration, durationInPeriods }: Coupon): string {
  const off = percentOff === null ? moneyText(amountOff ?? '0', currency) : percentText(percentOff);
  const time = { once: 'for one period', forever: 'for ever', periods: `for ${durationInPeriods ?? 0} periods` };
  return `${off} ${time[duration]}`;
}

/** What it asks for, and where it does not hold. */
const conditionsOf = ({
  appliesTo,
  minimumAmount,
  currency,
  newCustomersOnly,
  carriesOver,
}: Coupon): readonly string[] =>
  [
    Object.values<readonly string[]>({ ...appliesTo }).some((ids) => ids.length > 0) && 'some charges alone',
    isPositive(minimumAmount) && `from ${moneyText(minimumAmount ?? '', currency)} in a period`,
    newCustomersOnly && 'new customers',
    carriesOver && 'what is left carries over',
  ].filter((each) => each !== false);
