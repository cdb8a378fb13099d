import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** The answer of a mail server, as `550 No such mailbox`; null: it accepts. */
type Answer = { code: number; text: string } | null;

/** A mail server that keeps its mails. */
export interface MailDrop {
  readonly url: string;
  /** Each as received: header and body. */
  readonly messages: string[];
  /** Asked for each recipient. */
  onRecipient: (address: string) => Answer;
  /** Called for each message; an accepted message is kept first. */
  onMessage: () => Answer;
  close(): Promise<void>;
}

const refusal = (answer: Answer): Error | null =>
  answer && Object.assign(new Error(answer.text), { responseCode: answer.code });

/** On this machine, without TLS and passwords. */
export async function openMailDrop(): Promise<MailDrop> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo: ({ address }, _session, done) => done(refusal(drop.onRecipient(address))),
    onData: (stream, _session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const answer = drop.onMessage();
        if (!answer) drop.messages.push(Buffer.concat(chunks).toString('utf8'));
        done(refusal(answer));
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const drop: MailDrop = {
    url: `smtp://127.0.0.1:${port}`,
    messages: [],
    onRecipient: () => null,
    onMessage: () => null,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return drop;
}

/** The value of a header of a message, unfolded; undefined where it has none. @throws where it has several. */
export function header(message: string, name: string): string | undefined {
  const head = (message.split('\r\n\r\n')[0] ?? '').replace(/\r\n[ \t]+/g, ' ');
  const values = head
    .split('\r\n')
    .filter((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`))
    .map((line) => line.slice(name.length + 1).trim());
  if (values.length > 1) throw new Error(`The message has ${values.length} headers ${name}.`);
  return values[0];
}
