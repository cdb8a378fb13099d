import { DEFAULT_LOCALE } from '../kernel/locale.ts';
import { type Delivery, readError, type SmtpError } from './attempts.ts';
import { type MailContent, plainText } from './content.ts';
import { html } from './html.ts';

/** The server that takes mail, and as whom. */
export interface MailServer {
  /** `smtp://user:password@host:587`, or `smtps://…` where all of it is inside TLS. */
  readonly url: string;
  /** The address that all mail comes from. */
  readonly from: string;
  /** The longest that one mail may take, whatever the server does; default 30,000. */
  readonly patienceMilliseconds?: number;
}

/** A mail as it leaves. */
export interface Envelope {
  readonly id: string;
  readonly recipients: readonly string[];
  readonly senderName: string;
  readonly replyTo: string | null;
  readonly content: MailContent;
  readonly attachments: readonly Attachment[];
  readonly logo: InlineLogo | null;
}

/** A PDF that goes with a mail. */
export interface Attachment {
  readonly fileName: string;
  readonly content: Uint8Array;
}

/** A PNG that a mail shows. */
export interface InlineLogo {
  readonly width: number;
  readonly height: number;
  readonly content: Uint8Array;
}

/** The name of the logo among the parts of its mail (RFC 2392). */
const LOGO_ID = 'logo@reckoner';

const PATIENCE_MILLISECONDS = 30_000;
const LONGEST_SILENCE_MILLISECONDS = 10_000;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Hands a mail to the server, on a connection of its own. The Message-ID is the mail's own at every attempt, so
 * that a mail that was taken without our hearing of it is the same one when it comes again.
 * @param stop ends it before its time
 */
export type Deliver = (mail: Envelope, stop: AbortSignal) => Promise<Delivery>;

/** Opens a transport to a mail server. A password goes over TLS, or to a server on this machine. */
export function openSmtp({ url, from, patienceMilliseconds = PATIENCE_MILLISECONDS }: MailServer): Deliver {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === 'smtps:';
  const silence = Math.min(patienceMilliseconds, LONGEST_SILENCE_MILLISECONDS);
  const options = {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port || (secure ? 465 : 587)),
    secure,
    requireTLS: !secure && username !== '' && !LOOPBACK.has(hostname),
    ...(username !== '' && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: silence,
    greetingTimeout: silence,
    socketTimeout: silence,
    dnsTimeout: silence,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  // Loaded at the first mail: most processes never send one.
  const open = async () => (await import('nodemailer')).createTransport(options);
  let transport: ReturnType<typeof open> | undefined;
  const host = from.slice(from.lastIndexOf('@') + 1);
  return async ({ id, recipients, senderName, replyTo, content, attachments, logo }, stop) => {
    try {
      transport ??= open();
      const { rejected } = await (await transport).sendMail({
        from: { name: senderName, address: from },
        to: recipients.map((address) => ({ name: '', address })),
        ...(replyTo !== null && { replyTo: { name: senderName, address: replyTo } }),
        subject: content.subject,
        text: plainText(content),
        html: html(content, { logo: logo && { ...logo, source: `cid:${LOGO_ID}` } }),
        attachments: [...attachments.map(toPart), ...(logo ? [toLogoPart(logo)] : [])],
        messageId: `<${id}@${host}>`,
        headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': content.locale ?? DEFAULT_LOCALE },
        signal: AbortSignal.any([stop, AbortSignal.timeout(patienceMilliseconds)]),
      });
      return { outcome: 'taken', refused: rejected };
    } catch (error) {
      return readError(error as SmtpError);
    }
  };
}

const toPart = ({ fileName, content }: Attachment) => ({
  filename: fileName,
  content: Buffer.from(content),
  contentType: 'application/pdf',
});

/** Beside the HTML, which shows it; no program lists it among the files. */
const toLogoPart = ({ content }: InlineLogo) => ({
  filename: 'logo.png',
  content: Buffer.from(content),
  contentType: 'image/png',
  contentDisposition: 'inline' as const,
  cid: LOGO_ID,
});
