import { readFileSync } from 'node:fs';

/** An HTTP message that carries CloudEvents, as a producer would send it. */
export interface Message {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** The messages that a producer makes of the same few events. */
export interface Messages {
  readonly [name: string]: { readonly binary: Message; readonly structured: Message } | Message;
}

/** What version 10.0.0 of the npm package `cloudevents` makes of them. */
export const recorded = JSON.parse(
  readFileSync(new URL('cloudevents-package.json', import.meta.url), 'utf8'),
) as unknown as Messages;

/** One of the messages. */
export function messageOf(messages: Messages, name: string, mode: 'binary' | 'structured' | 'batch'): Message {
  const found = messages[mode === 'batch' ? 'batch' : name];
  if (found === undefined) throw new Error(`There is no message ${name}.`);
  return 'binary' in found && mode !== 'batch' ? found[mode] : (found as Message);
}
