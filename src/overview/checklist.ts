import type { EnvironmentName } from '../identity/index.ts';
import { formatInstant, type Instant } from '../kernel/time.ts';

/** The steps of a first trial, in their order. */
export const STEPS = ['eventReceived', 'eventPriced', 'clockAdvanced', 'invoicePaid', 'webhookDelivered'] as const;
export type Step = (typeof STEPS)[number];

/** When each step was first done; null or undefined: not yet. */
export type DoneSteps = Readonly<Record<Step, Instant | null | undefined>>;

/** The checklist of an environment: test clocks are the sandbox's. */
export const toChecklist = (environment: EnvironmentName, done: DoneSteps) =>
  STEPS.filter((step) => step !== 'clockAdvanced' || environment === 'sandbox').map((step) => {
    const at = done[step];
    return { step, done: at != null, at: at == null ? null : formatInstant(at) };
  });
