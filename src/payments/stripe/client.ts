import { createRequire } from 'node:module';
import type { Stripe } from 'stripe';
import { ProviderAway, type ProviderKeys, ProviderRefused } from '../provider/remote.ts';

export interface StripeOptions {
  /** The address of the API; absent: Stripe itself. */
  readonly apiUrl?: string;
  /** How long a call may take, with its answer. */
  readonly timeoutMilliseconds?: number;
}

const TIMEOUT_MILLISECONDS = 10_000;
/** The largest answer that we ask for is a list of 100 payment intents, about 300 kB. */
const MOST_ANSWER_BYTES = 2_000_000;

let loaded: typeof Stripe | undefined;

/** The SDK. It is loaded when an account first needs it: its 200 modules would take each start a tenth of a second. */
export const sdk = (): typeof Stripe => {
  loaded ??= createRequire(import.meta.url)('stripe') as typeof Stripe;
  return loaded;
};

/** The SDK for the keys of one account. It does not retry: callers of the port repeat a call under its key. */
export function openClient({ secretKey }: ProviderKeys, { apiUrl, timeoutMilliseconds }: StripeOptions): Stripe {
  const Client = sdk();
  return new Client(secretKey, {
    maxNetworkRetries: 0,
    timeout: timeoutMilliseconds ?? TIMEOUT_MILLISECONDS,
    telemetry: false,
    appInfo: { name: 'Reckoner' },
    httpClient: Client.createFetchHttpClient(fetchWithLimit),
    ...(apiUrl !== undefined && placeOf(new URL(apiUrl))),
  });
}

const placeOf = ({ protocol, hostname, port }: URL) => ({
  protocol: protocol === 'https:' ? ('https' as const) : ('http' as const),
  host: hostname,
  ...(port !== '' && { port }),
});

/** Reads the whole answer under the limit of time that the SDK gives, and no more of it than ours. */
const fetchWithLimit: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'error' });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const body: AsyncIterable<Uint8Array> | readonly Uint8Array[] = response.body ?? [];
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MOST_ANSWER_BYTES) throw new TypeError('The answer is too long.');
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks), { status: response.status, headers: response.headers });
};

/** Does a call, and sorts what went wrong. Errors that mean something to the caller come out as they are. */
export async function calling<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    throw sorted(error);
  }
}

/**
 * The meaning of an error of the SDK for the port. A `StripeCardError` stays as it is: a declined card is an answer. So
 * does an invalid request, of which callers know some (`isCode`); `refusedOr` makes a refusal of the others.
 */
function sorted(error: unknown): unknown {
  const { errors } = sdk();
  if (error instanceof errors.StripeCardError || error instanceof errors.StripeInvalidRequestError) return error;
  if (error instanceof errors.StripeAuthenticationError || error instanceof errors.StripePermissionError)
    return new ProviderRefused(`Stripe refuses the key: ${textOf(error)}`, 'account');
  // The same key with other parameters: something was done under it, and nobody knows with which outcome.
  if (error instanceof errors.StripeError) return new ProviderAway(`Stripe: ${textOf(error)}`);
  return error instanceof ProviderAway || error instanceof ProviderRefused
    ? error
    : new ProviderAway(`Stripe cannot be reached: ${error instanceof Error ? error.message : String(error)}`);
}

const MOST_TEXT = 300;
const textOf = ({ message }: Error): string => message.slice(0, MOST_TEXT);

type InvalidRequest = InstanceType<typeof Stripe.errors.StripeInvalidRequestError>;
type CardError = InstanceType<typeof Stripe.errors.StripeCardError>;

/** Has a bank refused a card? */
export const isCardError = (error: unknown): error is CardError => error instanceof sdk().errors.StripeCardError;

/** Does Stripe refuse the request as such? Then nothing has happened. */
export const isInvalidRequest = (error: unknown): error is InvalidRequest =>
  error instanceof sdk().errors.StripeInvalidRequestError;

/** Does the request name something of these parameters that the account does not have? */
export const isMissing = (error: unknown, ...params: readonly string[]): boolean =>
  isInvalidRequest(error) && error.code === 'resource_missing' && params.includes(error.param ?? '');

/** An invalid request as the refusal that it is; everything else stays. */
export const refusedOr = (error: unknown): unknown =>
  isInvalidRequest(error) ? new ProviderRefused(`Stripe refuses the request: ${textOf(error)}`) : error;

/** The same call, of which the caller knows no invalid request. */
export async function callingPlainly<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await calling(call);
  } catch (error) {
    throw refusedOr(error);
  }
}
