import { updateCredentials } from '../credentials.ts';
import type { Demo } from './environment.ts';
import type { Output } from './output.ts';

/** Keeps the demo merchant's key beside the operator's. */
export function rememberDemo(dataDirectory: string, { merchantId, merchantKey }: Demo): void {
  updateCredentials(dataDirectory, { sandbox: { merchantId, merchantKey } });
}

/**
 * Fills the demo with its three months, a line for each piece. It stops at the piece that is under way when `stop`
 * comes.
 */
export async function fillDemo(demo: Demo, output: Output, stop: AbortSignal): Promise<void> {
  const summary = await demo.fill((label, work) => output.step(`demo: ${label}`, work), stop);
  output.line(`Demo complete   ${summary}`);
}
