import type { Life, Of, Plan, Price, Step } from './life.ts';

/** The first smaller life that still fails, repeated until none does or `most` tries are over. */
export async function shrink(life: Life, fails: (life: Life) => Promise<boolean>, most: number): Promise<Life> {
  let [best, tries] = [life, 0];
  for (let found = true; found && tries < most; ) {
    found = false;
    for (const smaller of smallerThan(best)) {
      tries += 1;
      if (tries > most) break;
      if (!(await fails(smaller))) continue;
      best = smaller;
      found = true;
      break;
    }
  }
  return best;
}

/** Half of the steps first, then single ones; then parts of the catalog, then each word with a plainer replacement. */
function* smallerThan(life: Life): Generator<Life> {
  const { steps, plans, prices } = life;
  for (let size = steps.length >> 1; size > 0; size >>= 1)
    for (let at = steps.length - size; at >= 0; at -= size)
      yield { ...life, steps: [...steps.slice(0, at), ...steps.slice(at + size)] };
  for (const [place, plan] of plans.entries())
    for (const price of plan.prices)
      if (plan.prices.length > 1)
        yield withPlan(life, place, { ...plan, prices: plan.prices.filter((each) => each !== price) });
  for (const [place, plan] of plans.entries())
    for (const plainer of plainerPlans(plan)) yield withPlan(life, place, plainer);
  for (const [place, price] of prices.entries())
    for (const plainer of plainerPrices(price))
      yield { ...life, prices: prices.map((each, index) => (index === place ? plainer : each)) };
  for (const [place, step] of steps.entries())
    for (const plainer of plainerSteps(step))
      yield { ...life, steps: steps.map((each, index) => (index === place ? plainer : each)) };
  if (life.isAbroad) yield { ...life, isAbroad: false };
  if (life.isGrouped) yield { ...life, isGrouped: false };
  if (life.taxRate !== 0) yield { ...life, taxRate: 0 };
  if (life.taxBehavior === 'inclusive') yield { ...life, taxBehavior: 'exclusive' };
}

const withPlan = (life: Life, place: number, plan: Plan): Life => ({
  ...life,
  plans: life.plans.map((each, index) => (index === place ? plan : each)),
});

function* plainerPlans({ trialDays, anchor, ...plan }: Plan): Generator<Plan> {
  const all = { ...plan, ...(trialDays !== undefined && { trialDays }), ...(anchor !== undefined && { anchor }) };
  if (trialDays !== undefined) yield { ...plan, ...(anchor !== undefined && { anchor }) };
  if (anchor !== undefined) yield { ...plan, ...(trialDays !== undefined && { trialDays }) };
  if (plan.graceHours !== 0) yield { ...all, graceHours: 0 };
}

function* plainerPrices(price: Price): Generator<Price> {
  const { minimum, maximum, taxRate, ...others } = price;
  if (minimum !== undefined) yield { ...others, ...(maximum !== undefined && { maximum }) };
  if (maximum !== undefined) yield { ...others, ...(minimum !== undefined && { minimum }) };
  if (taxRate !== undefined) yield { ...others };
  if (price.properties.includedUnits !== undefined) {
    const { includedUnits: _, ...properties } = price.properties;
    yield { ...price, properties };
  }
  if (price.quantity !== undefined && price.quantity !== 1) yield { ...price, quantity: 1 };
}

function* plainerSteps(step: Step): Generator<Step> {
  if (step.do === 'change') {
    if (step.proration !== 'second') yield { ...step, proration: 'second' };
    if (step.credit !== 'invoice') yield { ...step, credit: 'invoice' };
    if (step.quantities && step.plan !== undefined) yield { ...step, quantities: {} };
    if (step.effective !== 'now') yield { ...step, effective: 'now' };
  }
  if ((step.do === 'change' || step.do === 'subscribe') && step.overrides)
    for (const [place] of step.overrides.entries()) yield { ...step, overrides: step.overrides.toSpliced(place, 1) };
  if (step.do === 'pause') yield* plainerPauses(step);
  if ((step.do === 'pause' || step.do === 'resume') && step.anchor !== 'keep') yield { ...step, anchor: 'keep' };
  if (step.do === 'subscribe' && step.asks === 'session') yield { ...step, asks: 'transfer' };
  if (step.do === 'subscribe' && step.startedAt % 86_400 !== 0) yield { ...step, startedAt: 0 };
}

function* plainerPauses(step: Of<'pause'>): Generator<Step> {
  const { resumesAt, ...endless } = step;
  if (resumesAt !== undefined) yield endless;
  if (step.usage === 'bill') yield { ...step, usage: 'free' };
  if (step.credit !== 'invoice') yield { ...step, credit: 'invoice' };
  if (step.effective !== 'now') yield { ...step, effective: 'now' };
}

/** A life as a list of steps that can be pasted into a story: JSON, one step a line, without unused parts. */
export function asText(life: Life): string {
  const { steps, plans, prices, metrics, ...terms } = life;
  const list = (name: string, them: readonly unknown[]) =>
    `  "${name}": [\n${them.map((each) => `    ${JSON.stringify(each)}`).join(',\n')}\n  ]`;
  return `{\n  ${JSON.stringify(terms).slice(1, -1)},\n${[
    list('metrics', metrics),
    list('prices', prices),
    list('plans', plans),
    list('steps', steps),
  ].join(',\n')}\n}`;
}
