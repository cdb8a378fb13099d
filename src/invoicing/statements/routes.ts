import { inlineFile, prefers, Reply, type Route, routesOf } from '../../http/index.ts';
import { ok } from '../../kernel/result.ts';
import { formatInstant, type Instant, parseInstant } from '../../kernel/time.ts';
import { tryRender } from '../documents/documents.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { StatementQuery, StatementReply } from './schemas.ts';
import { describeStatement, statementOf, toStatementReply } from './statement.ts';

const api = routesOf('Customers');
const PDF = 'application/pdf';

/** The statement of a customer (commercial.md §8). */
export const statementRoute = (dependencies: InvoicingDependencies): Route =>
  api.get('/v0/customers/:id/statement', 'getCustomerStatement', {
    summary: 'Retrieve the statement of a customer',
    description:
      'Every invoice, credit note, payment, refund and movement of the wallet in a stretch of time, between an opening ' +
      'and a closing balance. The balance is the debt, less the wallet and the unapplied money. With ' +
      '`Accept: application/pdf` the answer is a document in the language of the customer. Fails with 400 for a ' +
      'customer with a payer, who has the statement.',
    access: { role: 'viewer', merchant: { of: 'id', kind: 'customer' } },
    query: StatementQuery,
    replies: { 200: StatementReply },
    otherForm: { contentType: PDF, description: 'The statement as a document.' },
    handler: async ({ tx, params, query, now, request }) => {
      const [from, to] = [parseInstant(query.from) as Instant, parseInstant(query.to) as Instant];
      const statement = await statementOf(tx, { customerId: params.id, from, to, currency: query.currency });
      if (!statement.ok) return statement;
      if (!prefers(PDF, request.headers.accept)) return ok(new Reply(200, toStatementReply(statement.value), VARIES));
      const rendered = await tryRender(dependencies, await describeStatement(dependencies, tx, statement.value, now));
      if (!rendered.ok) return rendered;
      const name = `statement ${formatInstant(from).slice(0, 10)} ${formatInstant(to).slice(0, 10)}`;
      const headers = { 'content-type': PDF, 'content-disposition': inlineFile(name, 'pdf') };
      return ok(new Reply(200, rendered.value, { ...headers, ...VARIES }));
    },
  });

const VARIES = { vary: 'accept' };
