/** All that other rooms may use of mail. */
export { attachmentsFrom } from './attachments.ts';
export { createMailSender, type MailSender, noMailSender } from './mail-sender.ts';
export { mailRoutes } from './routes.ts';
export type { MailServer } from './smtp.ts';
export { mailDueKind } from './steps.ts';
export { createMails } from './write.ts';
