import type { Instant } from '../kernel/time.ts';
import type { AttachmentRecord } from './attachments.ts';
import type { MailContent } from './content.ts';
import type { MailKind } from './kinds.ts';
import type { MailStatus } from './states.ts';

export interface MailRow {
  merchantId: string;
  id: string;
  kind: MailKind;
  /** The invoice; of a reminder the subscription. */
  aboutId: string;
  /** The number of the mail among several of one kind about the same subject; mostly empty. */
  occasion: string;
  customerId: string;
  recipients: readonly string[];
  senderName: string;
  replyTo: string | null;
  content: MailContent;
  /** The documents that go with it. */
  attachments: readonly AttachmentRecord[];
  status: MailStatus;
  attempts: number;
  lastError: string | null;
  /** When it is sent, or tried again; null unless it is pending. */
  nextActionAt: Instant | null;
  createdAt: Instant;
  sentAt: Instant | null;
}
