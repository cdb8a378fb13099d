'use server';

import { revalidatePath } from 'next/cache';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { reckoner, workspace } from './reckoner';

/** To the pages on which the customer pays, changes cards and reads invoices. */
export async function openPortal(): Promise<void> {
  const [customer] = (await reckoner.customers.list({ externalId: workspace })).data;
  if (!customer) throw new Error(`There is no customer ${workspace}.`);
  const returnUrl = (await headers()).get('origin');
  const { url } = await reckoner.customers.createPortal(customer.id, returnUrl ? { returnUrl } : {});
  redirect(url);
}

/** On another plan; to its payment where something is due first. */
export async function choosePlan(data: FormData): Promise<void> {
  const { paymentUrl } = await reckoner.attach({ externalCustomerId: workspace, planId: String(data.get('plan')) });
  if (paymentUrl) redirect(paymentUrl);
  revalidatePath('/');
}
