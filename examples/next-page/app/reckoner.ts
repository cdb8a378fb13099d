import { Reckoner } from '@reckoner/sdk';

/** One client for all requests. It finds `RECKONER_URL` and `RECKONER_API_KEY`; the browser never sees the key. */
export const reckoner = new Reckoner();

/** Who is signed in: your application knows it by its own session. */
export const workspace = process.env.WORKSPACE ?? 'lagoa-clara';
