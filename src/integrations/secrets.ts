/** A config in two parts: what may be shown, and what may not. */
export interface SplitConfig {
  readonly open: Readonly<Record<string, unknown>>;
  /** The sent secrets, by their path; null removes one. */
  readonly secrets: Readonly<Record<string, unknown>>;
}

const SECRET_NAME =
  /secret|password|passphrase|token|credential|authorization|(?:api|private|access|signing|encryption)key|^key$/;

/** Is a field of a config a secret? Its name says so, in any spelling: `apiKey`, `api_key`, `API-KEY`. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name.toLowerCase().replace(/[^a-z]/g, ''));

/**
 * Takes the secrets out of a config, at any depth. A secret is a whole value: what is below `credentials` is one
 * secret. A list stays in its order, without the secrets of its objects.
 */
export function splitConfig(config: Readonly<Record<string, unknown>>): SplitConfig {
  const secrets: [string, unknown][] = [];
  const openOf = (value: unknown, path: string): unknown => {
    if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
    if (Array.isArray(value)) return value.map((each, place) => openOf(each, `${path}.${place}`));
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, part]) => {
        const own = path === '' ? name : `${path}.${name}`;
        if (!isSecretName(name)) return [[name, openOf(part, own)]];
        secrets.push([own, part]);
        return [];
      }),
    );
  };
  const open = openOf(config, '') as SplitConfig['open'];
  return { open, secrets: Object.fromEntries(secrets) };
}

/** The secrets after a change: one that was not sent stays, null removes it. */
export function mergeSecrets(
  before: Readonly<Record<string, string>>,
  sent: SplitConfig['secrets'],
  seal: (value: unknown, path: string) => string,
): Record<string, string> {
  const kept = Object.entries(before).filter(([path]) => !Object.hasOwn(sent, path));
  const added = Object.entries(sent).filter(([, value]) => value !== null);
  return Object.fromEntries([...kept, ...added.map(([path, value]): [string, string] => [path, seal(value, path)])]);
}
