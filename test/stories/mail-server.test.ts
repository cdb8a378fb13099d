import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { EnvironmentOptions } from '../../src/app.ts';
import { Database, type Scope, sql, type Tx } from '../../src/db/index.ts';
import { DocumentRenderError } from '../../src/documents/index.ts';
import { png } from '../../src/identity/logo/testing.ts';
import type { InvoicingDependencies } from '../../src/invoicing/index.ts';
import { attachmentsFrom, createMailSender, createMails, type MailSender, mailDueKind } from '../../src/mail/index.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';
import { header, type MailDrop, openMailDrop } from '../support/smtp.ts';

/** Production sends mail, through a server that may be slow, dead, or of another opinion. */
const NOW = '2026-03-10T09:00:00Z';
const later = (seconds: number): string => Temporal.Instant.from(NOW).add({ seconds }).toString();

/** The resources to close at the end of a test, the last first. */
const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

interface Office {
  env: TestEnvironment;
  merchant: Merchant;
  shop: Shop;
}

const PRODUCTION = { environment: 'production' } as const;
let drop: MailDrop | undefined;
/** The environments that tests share: one without a mail server, and one that sends to the drop. */
const shared = new Map<string | undefined, Promise<TestEnvironment>>();
afterAll(async () => {
  for (const env of shared.values()) await (await env).close();
  await drop?.close();
});

function ordinary(mailServer?: EnvironmentOptions['mailServer']): Promise<TestEnvironment> {
  const key = mailServer?.url;
  const env = shared.get(key) ?? openTestEnvironment({ ...PRODUCTION, ...(mailServer && { mailServer }) });
  shared.set(key, env);
  return env;
}

async function openOffice(
  mailServer?: EnvironmentOptions['mailServer'],
  more: { openDatabase?: NonNullable<EnvironmentOptions['openDatabase']>; documents?: 'typeset' } = {},
): Promise<Office> {
  const isOrdinary = Object.keys(more).length === 0 && (mailServer === undefined || mailServer.url === drop?.url);
  const env = await (isOrdinary
    ? ordinary(mailServer)
    : openTestEnvironment({ ...PRODUCTION, ...more, ...(mailServer && { mailServer }) }));
  if (!isOrdinary) open.push(() => env.close());
  env.setNow(NOW);
  const merchant = await env.merchant();
  return { env, merchant, shop: shopOf(merchant) };
}

/** The mail server that takes every mail, without those of earlier tests. */
async function openDrop(): Promise<MailDrop> {
  drop ??= await openMailDrop();
  drop.messages.length = 0;
  return Object.assign(drop, { onRecipient: () => null, onMessage: () => null });
}

const from = (url: string) => ({ url, from: 'billing@pay.example' });

const issue = async ({ shop }: Office, { customerId, ...fields }: Record<string, unknown> = {}): Promise<Resource> =>
  shop.create('/v2/invoices', {
    customerId: customerId ?? (await shop.customer(fields)).id,
    currency: 'EUR',
    lines: [{ displayName: 'Work', quantity: 1, unitPrice: 100 }],
    autoApprove: true,
  });

const mailOf = async ({ shop }: Office, invoice: Resource): Promise<Resource> =>
  (await shop.read(`/v0/mails?invoiceId=${invoice.id}`)).data[0];

/** Runs due work, and waits until the attempt on the mail of this invoice is noted. */
async function send(office: Office, invoice: Resource, attempts = 1): Promise<Resource> {
  const isNoted = async () => {
    await office.env.runDueWork(); // another time where a lost process still has the mail
    const mail = await mailOf(office, invoice);
    return mail.attempts === attempts && (mail.status !== 'pending' || mail.lastError !== null);
  };
  await expect.poll(isNoted, { timeout: 20_000 }).toBe(true);
  return mailOf(office, invoice);
}

it('sends a mail as it is shown, to all its recipients, from the merchant’s name', async () => {
  const drop = await openDrop();
  const office = await openOffice(from(drop.url));
  await office.shop.change(`/v0/organizations/${office.merchant.id}`, {
    name: 'Grüne Öfen',
    billingEmails: ['ask@ovens.example'],
  });
  const invoice = await issue(office);
  const mail = await send(office, invoice);
  expect(mail).toMatchObject({ status: 'sent', attempts: 1, sentAt: NOW, lastError: null, nextAttemptAt: null });
  const [message = ''] = drop.messages;
  expect(drop.messages).toHaveLength(1);
  expect(header(message, 'From')).toBe('=?UTF-8?Q?Gr=C3=BCne_=C3=96fen?= <billing@pay.example>');
  expect(header(message, 'Reply-To')).toContain('<ask@ovens.example>');
  expect(header(message, 'To')).toBe(mail.to[0]);
  expect(header(message, 'Message-ID')).toBe(`<${mail.id}@pay.example>`);
  expect(header(message, 'Auto-Submitted')).toBe('auto-generated');
  expect(message).toContain('multipart/alternative');
  expect(message).toContain('Content-Type: text/plain; charset=utf-8');
  expect(message).toContain('Content-Type: text/html; charset=utf-8');
});

const pay = ({ shop }: Office, invoice: Resource, amount = '100.00'): Promise<Resource> =>
  shop.create(`/v2/invoices/${invoice.id}/payments`, { amount, method: 'bank_transfer', idempotencyKey: amount });

/** The files of a message, by name. */
function filesOf(message: string): Map<string, Buffer> {
  const boundary = /boundary="([^"]+)"/.exec(message)?.[1] ?? '';
  const parts = message.split(`--${boundary}`).filter((part) => /Content-Disposition: attachment/i.test(part));
  return new Map(
    parts.map((part) => {
      const [head = '', ...body] = part.split('\r\n\r\n');
      expect(head).toContain('Content-Type: application/pdf');
      expect(head).toContain('Content-Transfer-Encoding: base64');
      return [/filename="?([^";\r\n]+)"?/.exec(head)?.[1] ?? '', Buffer.from(body.join(''), 'base64')] as const;
    }),
  );
}

describe('the documents that a mail brings', () => {
  it('are the stored ones: the invoice, then the receipt of its payment', async () => {
    const drop = await openDrop();
    const office = await openOffice(from(drop.url), { documents: 'typeset' });
    const invoice = await issue(office);
    await send(office, invoice);
    const payment = await pay(office, invoice);
    await office.env.runDueWork();
    await expect.poll(() => drop.messages.length, { timeout: 20_000 }).toBe(2);
    const [first, second] = drop.messages.map(filesOf);
    const stored = async (path: string) => (await office.merchant.get(`/v2/invoices/${invoice.id}/${path}`)).bytes;
    const number = invoice.invoiceNumber;
    expect(first).toEqual(new Map([[`${number}.pdf`, await stored('pdf')]]));
    expect(second).toEqual(new Map([[`Receipt-${number}.pdf`, await stored(`payments/${payment.id}/receipt`)]]));
    expect(header(drop.messages[1] ?? '', 'Subject')).toBe(`Receipt for invoice ${number} from Test merchant`);
  });

  it('come together where the invoice was paid before its mail had left: that one is withdrawn', async () => {
    const drop = await openDrop();
    const office = await openOffice(from(drop.url));
    const invoice = await issue(office);
    await pay(office, invoice);
    await office.env.runDueWork();
    await expect.poll(() => drop.messages.length, { timeout: 20_000 }).toBe(1);
    const number = invoice.invoiceNumber;
    expect([...filesOf(drop.messages[0] ?? '').keys()]).toEqual([`${number}.pdf`, `Receipt-${number}.pdf`]);
    const { data } = await office.shop.read(`/v0/mails?invoiceId=${invoice.id}`);
    expect(data.map(({ kind, status }: Resource) => [kind, status])).toEqual([
      ['invoicePaid', expect.stringMatching(/pending|sent/)],
      ['invoiceIssued', 'withdrawn'],
    ]);
  });

  const failing = (code: 'TIMED_OUT' | 'TOO_LARGE'): InvoicingDependencies =>
    ({
      environment: 'production',
      publicUrl: 'http://localhost',
      renderer: { render: () => Promise.reject(new DocumentRenderError(code, 'No')), close: async () => {} },
    }) as unknown as InvoicingDependencies;
  const load = async (office: Office, code: 'TIMED_OUT' | 'TOO_LARGE', attempts: number) => {
    const invoice = await issue(office);
    const mail = {
      merchantId: office.merchant.id,
      kind: 'invoiceIssued',
      attempts,
      attachments: [{ document: 'invoice', invoiceId: invoice.id, id: invoice.id, fileName: 'INV.pdf' }],
    } as const;
    return attachmentsFrom(failing(code))(office.env.database, mail, Temporal.Instant.from(NOW));
  };

  it.each([
    { code: 'TIMED_OUT', attempts: 1, loaded: { isReady: false, error: 'INV.pdf could not be rendered.' } },
    { code: 'TIMED_OUT', attempts: 2, loaded: { isReady: false, error: 'INV.pdf could not be rendered.' } },
    { code: 'TIMED_OUT', attempts: 3, loaded: { isReady: true, files: [], logo: null } },
    { code: 'TOO_LARGE', attempts: 1, loaded: { isReady: true, files: [], logo: null } },
  ] as const)('are waited for, but not for ever: $code at attempt $attempts', async ({ code, attempts, loaded }) => {
    const office = await openOffice();
    expect(await load(office, code, attempts)).toEqual(loaded);
  });
});

it('brings the logo with the mail, and says its language', async () => {
  const drop = await openDrop();
  const office = await openOffice(from(drop.url));
  await office.env.server.inject({
    method: 'PUT',
    url: `/v0/organizations/${office.merchant.id}/logo`,
    headers: { authorization: `Bearer ${office.merchant.key}`, 'content-type': 'image/png' },
    payload: png(),
  });
  await issue(office, { locale: 'de' });
  await office.env.runDueWork();
  await expect.poll(() => drop.messages.length, { timeout: 20_000 }).toBe(1);
  const [message = ''] = drop.messages;
  expect(header(message, 'Content-Language')).toBe('de');
  expect(message).toMatch(/Content-Type: multipart\/related/);
  expect(message).toMatch(/Content-Id: <logo@reckoner>/i);
  expect(message.replace(/=\r\n/g, '')).toContain('src=3D"cid:logo@reckoner"');
});

describe('what was no longer true before it left', () => {
  it.each([
    { what: 'cancelled', path: 'cancel' },
    { what: 'written off', path: 'writeOff' },
  ])('is withdrawn: an invoice that was $what', async ({ path }) => {
    const drop = await openDrop();
    const office = await openOffice(from(drop.url));
    const invoice = await issue(office);
    await office.shop.act(`/v2/invoices/${invoice.id}/${path}`, { reason: 'A mistake' });
    await office.env.runDueWork();
    const { data } = await office.shop.read(`/v0/mails?invoiceId=${invoice.id}`);
    expect(data).toMatchObject([{ kind: 'invoiceIssued', status: 'withdrawn', nextAttemptAt: null }]);
    expect((await office.merchant.post(`/v0/mails/${data[0].id}/send`)).status).toBe(409);
    expect(drop.messages).toEqual([]);
  });

  it('is withdrawn: a refund that was voided', async () => {
    const office = await openOffice();
    const invoice = await issue(office);
    await pay(office, invoice);
    const refund = await office.shop.create(`/v2/invoices/${invoice.id}/refunds`, { reason: 'A mistake' });
    await office.shop.act(`/v2/invoices/${invoice.id}/refunds/${refund.id}/void`, { reason: 'Not after all' });
    const { data } = await office.shop.read(`/v0/mails?invoiceId=${invoice.id}`);
    expect(data.map(({ kind, status }: Resource) => [kind, status])).toEqual([
      ['invoiceRefunded', 'withdrawn'],
      ['invoicePaid', 'pending'],
      ['invoiceIssued', 'withdrawn'],
    ]);
  });

  it('is not withdrawn while it is on its way', async () => {
    const silence = await openSilence();
    const office = await openOffice(from(silence.url));
    const invoice = await issue(office);
    await office.env.runDueWork();
    await office.shop.act(`/v2/invoices/${invoice.id}/cancel`, { reason: 'A mistake' });
    const { data } = await office.shop.read(`/v0/mails?invoiceId=${invoice.id}`);
    expect(data.map(({ kind, status }: Resource) => [kind, status])).toEqual([
      ['invoiceCancelled', 'pending'],
      ['invoiceIssued', 'pending'],
    ]);
  });
});

it('lets no name write a header or a tag', async () => {
  const drop = await openDrop();
  const office = await openOffice(from(drop.url));
  const evil = 'Eve\r\nBcc: all@example.com\r\n\r\n<img src=x>';
  await office.shop.change(`/v0/organizations/${office.merchant.id}`, { name: evil });
  await send(
    office,
    await issue(office, { consumer: { name: evil, email: 'eve@example.com', address: { country: 'GB' } } }),
  );
  const [message = ''] = drop.messages;
  expect(header(message, 'Bcc')).toBeUndefined();
  expect(message.replaceAll('=\r\n', '')).not.toMatch(/^Bcc:/m); // a soft line break of the text begins no header
  const page = message.slice(message.indexOf('<!doctype')).replaceAll('=\r\n', '').replaceAll('=3D', '=');
  expect(page).toContain('&lt;img src=x&gt;');
  expect(page).not.toContain('<img');
  expect(header(message, 'To')).toBe('eve@example.com');
});

describe('a server that refuses', () => {
  it('for good ends it at once', async () => {
    const drop = await openDrop();
    drop.onRecipient = () => ({ code: 550, text: 'No such mailbox' });
    const office = await openOffice(from(drop.url));
    const mail = await send(office, await issue(office));
    expect(mail).toMatchObject({ status: 'failed', attempts: 1, nextAttemptAt: null, sentAt: null });
    expect(mail.lastError).toContain('No such mailbox');
  });

  it('for now is asked again, with the same message', async () => {
    const drop = await openDrop();
    drop.onMessage = () => ({ code: 451, text: 'Come back later' });
    const office = await openOffice(from(drop.url));
    const invoice = await issue(office);
    const waits = await send(office, invoice);
    expect(waits).toMatchObject({ status: 'pending', attempts: 1, nextAttemptAt: later(60) });
    drop.onMessage = () => null;
    office.env.setNow(later(59));
    await office.env.runDueWork();
    expect(drop.messages).toEqual([]);
    office.env.setNow(later(60));
    expect(await send(office, invoice, 2)).toMatchObject({ status: 'sent', sentAt: later(60) });
    expect(header(drop.messages[0] ?? '', 'Message-ID')).toBe(`<${waits.id}@pay.example>`);
  });

  it('one recipient of two has the mail, and the refused one is recorded', async () => {
    const drop = await openDrop();
    drop.onRecipient = (address) => (address.startsWith('old') ? { code: 550, text: 'Gone' } : null);
    const office = await openOffice(from(drop.url));
    const customer = await office.shop.customer();
    await office.shop.change(`/v0/organizations/${customer.consumerId}`, {
      billingEmails: ['old@example.com', 'new@example.com'],
    });
    const invoice = await issue(office, { customerId: customer.id });
    const mail = await send(office, invoice);
    expect(mail).toMatchObject({ status: 'sent', lastError: 'The server refused old@example.com.' });
  });
});

/** Accepts connections, and never answers. */
async function openSilence(): Promise<{ url: string; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `smtp://127.0.0.1:${(server.address() as { port: number }).port}`, sockets };
}

describe('a server that does not answer', () => {
  it('is given up on, and tried again later', async () => {
    const silence = await openSilence();
    const office = await openOffice({ ...from(silence.url), patienceMilliseconds: 200 });
    const mail = await send(office, await issue(office));
    expect(mail).toMatchObject({ status: 'pending', attempts: 1, nextAttemptAt: later(60) });
  });

  it('keeps no other due work waiting', async () => {
    const silence = await openSilence();
    const office = await openOffice(from(silence.url));
    const invoices = [await issue(office), await issue(office), await issue(office)];
    await office.env.runDueWork(); // comes back during the wait for the server
    expect(await mailOf(office, invoices[0])).toMatchObject({ status: 'pending', attempts: 1, lastError: null });
    for (const { id } of invoices) expect((await office.merchant.get(`/v2/invoices/${id}/pdf`)).status).toBe(200);
  });

  it('is asked once for all that wait for it', async () => {
    const silence = await openSilence();
    const office = await openOffice({ ...from(silence.url), patienceMilliseconds: 3_000 });
    const { id: customerId } = await office.shop.customer();
    const invoices = await Promise.all(Array.from({ length: 12 }, () => issue(office, { customerId })));
    await office.env.runDueWork();
    const waiting = async () => (await office.shop.read('/v0/mails?status=pending&limit=100')).data as Resource[];
    const isNoted = async () => (await waiting()).every(({ lastError }) => lastError !== null);
    await expect.poll(isNoted, { timeout: 20_000 }).toBe(true);
    expect((await waiting()).map(({ nextAttemptAt }) => nextAttemptAt)).toEqual(invoices.map(() => later(60)));
    expect(silence.sockets.size).toBe(5); // one for each connection, and none for those behind them
  });

  it('that is not there at all is tried again later', async () => {
    const gone = await openMailDrop();
    await gone.close();
    const office = await openOffice(from(gone.url));
    const mail = await send(office, await issue(office));
    expect(mail).toMatchObject({ status: 'pending', attempts: 1, nextAttemptAt: later(60) });
    expect(mail.lastError).toContain('ECONNREFUSED');
  });
});

it('sends the same message again where the process was lost between sending and noting', async () => {
  const drop = await openDrop();
  let isLost = false;
  let lost = 0;
  class Losing extends Database {
    override async transaction<T>(scope: Scope, work: (tx: Tx) => Promise<T>): Promise<T> {
      if (!isLost) return super.transaction(scope, work);
      return super.transaction(scope, async (tx) => {
        await work(tx);
        const [sent] = await tx.rows(sql`select id from mail where status = 'sent'`);
        if (sent) lost += 1; // others are lost, too; this one noted the mail
        throw new Error('The process is gone.');
      });
    }
  }
  const office = await openOffice(from(drop.url), { openDatabase: (options) => new Losing(options) });
  const invoice = await issue(office);
  drop.onMessage = () => {
    isLost = true;
    return null;
  };
  await office.env.runDueWork().catch((error: unknown) => expect(String(error)).toContain('gone'));
  await expect.poll(() => lost, { timeout: 20_000 }).toBeGreaterThan(0);
  isLost = false;
  drop.onMessage = () => null;
  expect(await mailOf(office, invoice)).toMatchObject({ status: 'pending', attempts: 1 });
  office.env.setNow(later(15 * 60));
  expect(await send(office, invoice, 2)).toMatchObject({ status: 'sent' });
  const ids = drop.messages.map((message) => header(message, 'Message-ID'));
  expect(ids).toHaveLength(2);
  expect(new Set(ids).size).toBe(1);
});

describe('the carrier', () => {
  /** As a background job does it. */
  const step = async ({ env, merchant }: Office, mailSender: MailSender, { id }: Resource): Promise<void> => {
    const followUp = await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
      mailDueKind(mailSender, noAttachments).step(tx, { merchantId: merchant.id, id }, Temporal.Instant.from(NOW)),
    );
    await followUp?.();
  };
  const noAttachments = async () => ({ isReady: true, files: [], logo: null }) as const;
  const mailsOf = async ({ shop }: Office): Promise<Resource[]> => (await shop.read('/v0/mails?limit=100')).data;

  it('releases unstarted mails at its close, and does not wait for ever for started ones', async () => {
    const silence = await openSilence();
    const office = await openOffice();
    const now = () => Temporal.Instant.from(NOW);
    const mailSender = createMailSender({
      server: from(silence.url),
      database: office.env.database,
      now,
      onTrouble: () => {},
    });
    for (let n = 0; n < 7; n += 1) await issue(office);
    for (const mail of await mailsOf(office)) await step(office, mailSender, mail);
    await mailSender.close();
    const mails = (await mailsOf(office)).map(({ status, attempts, nextAttemptAt }) => [
      status,
      attempts,
      nextAttemptAt,
    ]);
    expect(mails.filter(([, attempts]) => attempts === 0)).toEqual(
      Array.from({ length: 2 }, () => ['pending', 0, NOW]),
    );
    expect(mails.filter(([, attempts]) => attempts === 1)).toEqual(
      Array.from({ length: 5 }, () => ['pending', 1, later(60)]),
    );
    expect(mailSender.hasRoom).toBe(false);
  });

  it('that has no room leaves a mail for later, which is no attempt', async () => {
    const office = await openOffice();
    const invoice = await issue(office);
    const full: MailSender = {
      hasServer: true,
      hasRoom: false,
      take: () => expect.unreachable(),
      close: () => Promise.resolve(),
    };
    await step(office, full, await mailOf(office, invoice));
    expect(await mailOf(office, invoice)).toMatchObject({ status: 'pending', attempts: 0, nextAttemptAt: later(30) });
  });

  it('never gets a mail a ninth time, though the outcome of the eighth is unknown', async () => {
    const office = await openOffice();
    const invoice = await issue(office);
    let taken = 0;
    const silent: MailSender = {
      hasServer: true,
      hasRoom: true,
      take: () => {
        taken += 1;
      },
      close: () => Promise.resolve(),
    };
    const mail = await mailOf(office, invoice);
    for (let n = 0; n < 9; n += 1) await step(office, silent, mail);
    expect(taken).toBe(8);
    expect(await mailOf(office, invoice)).toMatchObject({ status: 'failed', attempts: 8, nextAttemptAt: null });
    expect(await office.shop.act(`/v0/mails/${mail.id}/send`)).toMatchObject({ status: 'pending', attempts: 0 });
  });
});

describe('without a server', () => {
  it('mail is held, nothing is lost, and it is sent when the merchant wants it', async () => {
    const office = await openOffice();
    const invoice = await issue(office);
    await office.env.runDueWork();
    const mail = await mailOf(office, invoice);
    expect(mail).toMatchObject({ status: 'held', attempts: 0 });
    const wanted = await office.shop.act(`/v0/mails/${mail.id}/send`);
    expect(wanted).toMatchObject({ status: 'pending', nextAttemptAt: NOW });
    expect((await office.merchant.post(`/v0/mails/${mail.id}/send`)).status).toBe(409);
    await office.env.runDueWork();
    expect(await mailOf(office, invoice)).toMatchObject({ status: 'held' });
  });

  it('a viewer and another merchant cannot send a mail', async () => {
    const office = await openOffice();
    const mail = await issue(office).then(async (invoice) => {
      await office.env.runDueWork();
      return mailOf(office, invoice);
    });
    const viewer = await office.env.userOf(office.merchant, 'viewer');
    expect((await viewer.post(`/v0/mails/${mail.id}/send`)).status).toBe(403);
    expect((await (await office.env.merchant()).post(`/v0/mails/${mail.id}/send`)).status).toBe(403);
    expect((await office.merchant.post('/v0/mails/mail_00/send')).status).toBe(404);
  });
});

it('is written once for repeated reports', async () => {
  const office = await openOffice();
  const { shop, merchant, env } = office;
  const customer = await shop.customer();
  const { renewal } = createMails({ environment: 'production', publicUrl: 'http://localhost' });
  const remind = (renewsAt: string) =>
    env.database.transaction({ merchants: [merchant.id] }, (tx) =>
      renewal(
        tx,
        {
          merchantId: merchant.id,
          subscriptionId: 'sub_1',
          customerId: customer.id,
          planName: 'Pro',
          renewsAt: Temporal.Instant.from(renewsAt),
          estimate: null,
          card: null,
        },
        Temporal.Instant.from(NOW),
      ),
    );
  await Promise.all(Array.from({ length: 5 }, () => remind('2026-04-01T00:00:00Z')));
  await remind('2026-05-01T00:00:00Z');
  const { total } = (await shop.read(`/v0/mails?customerId=${customer.id}`)).pagination;
  const kept = await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
    tx.rows<{ occasion: string }>(sql`select occasion from mail order by seq`),
  );
  expect(total).toBe(2);
  expect(kept.map(({ occasion }) => occasion)).toEqual(['2026-04-01T00:00:00Z', '2026-05-01T00:00:00Z']);
});
