/** The result of a trial of secrets at their provider. */
export type Trial =
  | { readonly works: true; readonly externalId: string }
  | { readonly works: false; readonly reason: string };

/** The secrets of a connection, opened, by their path in `config`. */
export type OpenSecrets = Readonly<Record<string, unknown>>;

/** Tries secrets at their provider. It never throws, and ends within seconds. It runs outside transactions. */
export type Probe = (secrets: OpenSecrets) => Promise<Trial>;

/** A trial with its secrets. */
export interface Tried {
  /** Null: unknown. */
  readonly secrets: OpenSecrets | null;
  readonly trial: Trial;
}

/** The account and the status that a trial leaves a connection with. */
export function decideTrial(
  externalId: string | null,
  given: string | null | undefined,
  trial: Trial,
): { status: 'active' | 'error'; statusReason: string | null; externalId: string | null } {
  if (!trial.works) return { status: 'error', statusReason: trial.reason, externalId };
  if (typeof given === 'string' && given !== trial.externalId)
    return { status: 'error', statusReason: `The key is of ${trial.externalId}, not of ${given}.`, externalId };
  return { status: 'active', statusReason: null, externalId: trial.externalId };
}
