import type { Database } from '../db/index.ts';
import { next } from '../kernel/state-table.ts';
import { type Instant, isBefore } from '../kernel/time.ts';
import type { LoadAttachments } from './attachments.ts';
import { type Delivery, judge } from './attempts.ts';
import type { MailRow } from './mail-row.ts';
import { updateMail } from './mails.sql.ts';
import { type Deliver, type MailServer, openSmtp } from './smtp.ts';
import { mailStates } from './states.ts';

/** A mail that due work has taken for an attempt: nobody else takes it before its lease ends. */
export interface TakenMail {
  readonly mail: MailRow;
  readonly takenAt: Instant;
  /** Reads the documents that go with it, as it is sent. */
  readonly loadAttachments?: LoadAttachments;
}

/** Sends mail to the server, beside background jobs: a slow or dead server delays nothing else. */
export interface MailSender {
  /** Is there a server to bring it to? */
  readonly hasServer: boolean;
  readonly hasRoom: boolean;
  /** Comes back at once. */
  take(taken: TakenMail): void;
  /** Gives back the waiting mails, and ends after the mails in flight, which get a few seconds. */
  close(): Promise<void>;
}

/** The sender without a server. */
export const noMailSender: MailSender = {
  hasServer: false,
  hasRoom: false,
  take: () => {
    throw new Error('No mail server is configured.');
  },
  close: () => Promise.resolve(),
};

/** How long a background job leaves a mail to the sender. After that it was lost with its process and is sent again. */
export const LEASE_MINUTES = 15;
/** A mail that has waited longer is not started: its lease would end before its delivery. */
const LONGEST_WAIT_MINUTES = 10;
const CONNECTIONS = 5;
const MOST_WAITING = 1_000;
const FAREWELL_MILLISECONDS = 3_000;
const MOST_ERROR_LENGTH = 500;

interface MailSenderOptions {
  readonly server: MailServer;
  readonly database: Database;
  /** Wall time. */
  readonly now: () => Instant;
  readonly onTrouble: (error: Error, what: string) => void;
}

/** Brings mail to a server over a few connections at a time. */
export const createMailSender = (options: MailSenderOptions): MailSender => new SmtpMailSender(options);

class SmtpMailSender implements MailSender {
  readonly hasServer = true;
  readonly #options: MailSenderOptions;
  readonly #deliver: Deliver;
  readonly #waiting: TakenMail[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  readonly #end = new AbortController();
  #isClosed = false;

  constructor(options: MailSenderOptions) {
    this.#options = options;
    this.#deliver = openSmtp(options.server);
  }

  get hasRoom(): boolean {
    return !this.#isClosed && this.#waiting.length < MOST_WAITING;
  }

  take(taken: TakenMail): void {
    if (this.#isClosed) this.#follow(this.#giveBack(taken));
    else this.#waiting.push(taken);
    this.#begin();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const taken of this.#waiting.splice(0)) this.#follow(this.#giveBack(taken));
    const farewell = setTimeout(() => this.#end.abort(), FAREWELL_MILLISECONDS);
    await Promise.all(this.#inFlight);
    clearTimeout(farewell);
  }

  #begin(): void {
    while (this.#inFlight.size < CONNECTIONS) {
      const taken = this.#waiting.shift();
      if (!taken) return;
      this.#follow(this.#bring(taken));
    }
  }

  /** After a failure here the mail keeps its lease, and is sent again at its end. */
  #follow(work: Promise<void>): void {
    const followed = work
      .catch((error: unknown) => this.#options.onTrouble(error as Error, 'the outcome of an email could not be stored'))
      .finally(() => {
        this.#inFlight.delete(followed);
        this.#begin();
      });
    this.#inFlight.add(followed);
  }

  async #bring(taken: TakenMail): Promise<void> {
    const begunBy = taken.takenAt.add({ minutes: LONGEST_WAIT_MINUTES });
    if (!isBefore(this.#options.now(), begunBy)) return;
    const delivery = await this.#hand(taken);
    await this.#note(taken, delivery);
    if (delivery.outcome === 'away') await this.#giveUpFor(delivery);
  }

  async #hand({ mail, loadAttachments }: TakenMail): Promise<Delivery> {
    const { id, recipients, senderName, replyTo, content } = mail;
    const { database, now } = this.#options;
    const loaded = loadAttachments
      ? await loadAttachments(database, mail, now())
      : { isReady: true as const, files: [], logo: null };
    if (!loaded.isReady) return { outcome: 'later', error: loaded.error };
    const envelope = { id, recipients, senderName, replyTo, content, attachments: loaded.files, logo: loaded.logo };
    return this.#deliver(envelope, this.#end.signal);
  }

  /** The waiting mails for an unreachable server would only wait for it one after the other. */
  async #giveUpFor(delivery: Delivery & { outcome: 'away' }): Promise<void> {
    this.#options.onTrouble(new Error(delivery.error), 'the mail server cannot be used');
    for (const taken of this.#waiting.splice(0)) await this.#note(taken, delivery);
  }

  async #note({ mail }: TakenMail, delivery: Delivery): Promise<void> {
    const now = this.#options.now();
    const { trigger, nextAttemptAt, error } = judge(delivery, mail.attempts, now);
    const moved =
      trigger === undefined ? ({ ok: true, value: mail.status } as const) : next(mailStates, mail.status, trigger);
    if (!moved.ok) throw new Error(`Mail ${mail.id} is ${mail.status}.`);
    await this.#change(mail, {
      status: moved.value,
      attempts: mail.attempts,
      lastError: error?.slice(0, MOST_ERROR_LENGTH) ?? null,
      nextActionAt: nextAttemptAt,
      sentAt: moved.value === 'sent' ? now : null,
    });
  }

  /** An attempt that was not made does not count. */
  async #giveBack({ mail, takenAt }: TakenMail): Promise<void> {
    await this.#change(mail, { ...mail, attempts: mail.attempts - 1, nextActionAt: takenAt });
  }

  async #change(mail: MailRow, change: Parameters<typeof updateMail>[2]): Promise<void> {
    await this.#options.database.transaction({ merchants: [mail.merchantId] }, (tx) => updateMail(tx, mail, change), {
      byKeys: 'one thing',
    });
  }
}
