import { Tabs } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useRead } from '../../api/queries.ts';
import type { Mail } from '../../api/types.ts';
import { nonce } from '../../frame/nonce.ts';
import { Ref } from '../../frame/to.tsx';
import { Moment } from '../../look/figures.tsx';
import { Status } from '../../look/status.tsx';
import { wordsOf } from '../../look/words.ts';
import { Facts, Page, Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';

/** One mail as the customer gets it: its look, its text, and how the sending went. */
export function MailPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const asked = useRead('GET /v0/mails/{id}', { path: { id } });
  return (
    <Part of={asked}>
      {(mail) => (
        <Page
          up={{ path: '/developers/mails', name: 'Mails' }}
          title={mail.subject}
          state={<Status of={mail.status} />}
          about={
            <>
              To {mail.to.join(', ')} · <code>{mail.id}</code>
            </>
          }
        >
          {mail.status === 'held' && <p className="note">The sandbox keeps this mail. Nobody has got it.</p>}
          {mail.lastError && <p className="note bad">{mail.lastError}</p>}
          <div className="columns">
            <Tabs defaultValue="look" keepMounted={false}>
              <Tabs.List>
                <Tabs.Tab value="look">As it looks</Tabs.Tab>
                <Tabs.Tab value="text">Text without markup</Tabs.Tab>
              </Tabs.List>
              <Tabs.Panel value="look" pt="md">
                <iframe
                  className="customer-view"
                  title={`Mail: ${mail.subject}`}
                  sandbox=""
                  srcDoc={styled(mail.html)}
                />
              </Tabs.Panel>
              <Tabs.Panel value="text" pt="md">
                <pre className="curl">{mail.text}</pre>
              </Tabs.Panel>
            </Tabs>
            <Details mail={mail} />
          </div>
        </Page>
      )}
    </Part>
  );
}

/** The frame has the policy of this page, which allows style elements by its word alone. */
const styled = (html: string): string => html.replaceAll('<style>', `<style nonce="${nonce}">`);

function Details({ mail }: { readonly mail: Mail }) {
  return (
    <Sheet title="Details">
      <Facts
        of={[
          ['Kind', wordsOf(mail.kind)],
          ['Customer', <Ref key="customer" id={mail.customerId} />],
          ['Invoice', mail.invoiceId && <Ref id={mail.invoiceId} />],
          ['Subscription', mail.subscriptionId && <Ref id={mail.subscriptionId} />],
          ['Attached', mail.attachments.join(', ')],
          ['Made', <Moment key="made" at={mail.createdAt} />],
          ['Sent', mail.sentAt && <Moment at={mail.sentAt} />],
          ['Attempts', mail.attempts > 0 && mail.attempts],
          ['Next attempt', mail.nextAttemptAt && <Moment at={mail.nextAttemptAt} />],
        ]}
      />
    </Sheet>
  );
}
