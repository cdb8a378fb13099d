import { choosePlan, openPortal } from './actions';
import { priceText } from './prices';
import { reckoner, workspace } from './reckoner';

export const dynamic = 'force-dynamic';

export default async function Page() {
  const [customer] = (await reckoner.customers.list({ externalId: workspace })).data;
  if (!customer) return <p>There is no customer {workspace}: set WORKSPACE to the externalId of one.</p>;
  const [subscriptions, plans, metrics, { features }] = await Promise.all([
    reckoner.subscriptions.list({ customerId: customer.id, status: 'active' }).all(),
    reckoner.plans.list().all(),
    reckoner.billableMetrics.list().all(),
    reckoner.customers.getAccess(customer.id),
  ]);
  const units = new Map(metrics.map(({ id, unit }) => [id, unit]));
  const present = new Set(subscriptions.map(({ planId }) => planId));
  return (
    <main>
      <h1>{customer.organization.name}</h1>
      <form action={openPortal}>
        <button type="submit">Invoices and cards</button>
      </form>

      <h2>Usage</h2>
      {features.map((feature) => feature.type === 'metered' && <Allowance key={feature.featureKey} {...feature} />)}
      {subscriptions.map(({ id, name }) => (
        <Bill key={id} id={id} name={name} />
      ))}

      <h2>Plans</h2>
      <ul className="plans">
        {plans.map((plan) => (
          <li className="plan" key={plan.id} aria-current={present.has(plan.id) || undefined}>
            <h3>{plan.name}</h3>
            <ul>
              {plan.prices.map((price) => (
                <li key={price.id}>
                  {price.invoiceDisplayName}: {priceText(price, plan, units)}
                </li>
              ))}
            </ul>
            {present.has(plan.id) ? (
              <p>Your plan</p>
            ) : (
              <form action={choosePlan}>
                <button type="submit" name="plan" value={plan.id}>
                  Choose {plan.name}
                </button>
              </form>
            )}
          </li>
        ))}
      </ul>
    </main>
  );
}

/** How much is left of what the plan includes. */
async function Allowance({ featureKey, entitlementIds }: { featureKey: string; entitlementIds: readonly string[] }) {
  const [id = ''] = entitlementIds;
  const entitlement = await reckoner.entitlements.get(id);
  if (!('balance' in entitlement)) return null;
  const used = Number(entitlement.usageInPeriod);
  const all = Math.max(used, used + Number(entitlement.balance));
  const until = entitlement.currentPeriodEnd;
  return (
    <p>
      <label>
        {featureKey}: {used} of {all} used
        <meter value={used} max={all} high={all * 0.8} />
      </label>
      {until && <small>until {dateText(until)}</small>}
    </p>
  );
}

/** What the next invoice has come to. */
async function Bill({ id, name }: { id: string; name: string }) {
  const { grandTotal, currency, periodEnd } = await reckoner.subscriptions.getUpcomingInvoice(id);
  const money = new Intl.NumberFormat('en', { style: 'currency', currency });
  return (
    <p>
      {name}: {money.format(grandTotal as never)} so far
      {periodEnd && `, invoiced on ${dateText(periodEnd)}`}
    </p>
  );
}

const dateText = (at: string): string =>
  new Date(at).toLocaleDateString('en', { dateStyle: 'medium', timeZone: 'UTC' });
