import { useChangeNames } from '../../api/document.ts';
import type { AuditEntry } from '../../api/types.ts';
import { Ref, To } from '../../frame/to.tsx';
import { Moment } from '../../look/figures.tsx';
import { wordsOf } from '../../look/words.ts';
import { List } from '../../shape/list.tsx';
import { Page } from '../../shape/page.tsx';
import { type FieldChange, fieldChanges } from './field-changes.ts';

/** Every change by a person or a program: who, when, what, and each field before and after. */
export function AuditLog() {
  const names = useChangeNames();
  return (
    <Page title="Audit log" about="Every change by a call or in the customer portal. Entries never change.">
      <List
        operation="GET /v0/auditLog"
        file="audit-log"
        rowKey={({ id }) => id}
        filters={[
          { name: 'resourceId', label: 'Id of the resource' },
          { name: 'operation', label: 'What', choices: names.map((each) => [each, wordsOf(each)] as const) },
          { name: 'userId', label: 'Who', pick: 'usr_' },
          { name: 'from', label: 'From', type: 'moment' },
          { name: 'to', label: 'Before', type: 'moment' },
        ]}
        columns={[
          {
            name: 'When',
            cell: ({ createdAt }) => <Moment at={createdAt} seconds />,
            value: ({ createdAt }) => createdAt,
          },
          {
            name: 'Who',
            cell: (entry) => <Who entry={entry} />,
            value: ({ userId, customerId }) => userId ?? customerId,
          },
          { name: 'What', cell: ({ operation }) => wordsOf(operation), value: ({ operation }) => operation },
          { name: 'Resource', cell: ({ resourceId }) => <Resource id={resourceId} />, value: (row) => row.resourceId },
          {
            name: 'Changes',
            cell: ({ before, after }) => <Changes of={fieldChanges(before, after)} isNew={before === null} />,
            value: ({ before, after }) => JSON.stringify(fieldChanges(before, after)),
          },
          {
            name: 'Request',
            cell: ({ requestId }) => <code title={requestId}>{requestId}</code>,
            value: ({ requestId }) => requestId,
          },
        ]}
        empty={{
          text: 'Each change by a person or a program stands here, with what was there before.',
          example: { method: 'GET', path: '/v0/auditLog' },
        }}
      />
    </Page>
  );
}

function Who({ entry: { userId, userOrganizationId, merchantId, keyId, customerId } }: { readonly entry: AuditEntry }) {
  const how =
    userId === null
      ? 'in the customer portal'
      : keyId === null
        ? 'in the console'
        : `by an API key (${keyId.slice(-4)})`;
  return (
    <div>
      <Ref id={userId ?? customerId} />
      <span className="soft fine block">
        {userOrganizationId !== null && userOrganizationId !== merchantId && 'operator, '}
        {how}
      </span>
    </div>
  );
}

const Resource = ({ id }: { readonly id: string | null }) => (
  <div>
    <Ref id={id} />
    {id !== null && (
      <span className="fine block">
        <To path={`/developers/audit-log?resourceId=${id}`}>Its changes</To>
      </span>
    )}
  </div>
);

const textOf = (value: unknown): string =>
  value === undefined || value === null ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value);

function Changes({ of, isNew }: { readonly of: readonly FieldChange[]; readonly isNew: boolean }) {
  if (of.length === 0) return <span className="soft">No field</span>;
  return (
    <details>
      <summary>{of.length === 1 ? '1 field' : `${of.length} fields`}</summary>
      <ul className="checklist fine">
        {of.map(({ path, before, after }) => (
          <li key={path}>
            {path !== '' && <span className="soft">{path}: </span>}
            {!isNew && (
              <>
                <del>{textOf(before)}</del> →{' '}
              </>
            )}
            <ins>{textOf(after)}</ins>
          </li>
        ))}
      </ul>
    </details>
  );
}
