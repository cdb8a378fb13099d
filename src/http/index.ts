export { type Authentication, type Caller, hasRole, type Role } from './caller.ts';
export { type ErrorReply, edgeErrors, mergeTables } from './errors.ts';
export { canonicalJson, fingerprint } from './idempotency.ts';
export { type Access, type Context, type FreeContext, freeRoute, Reply, type Route, route } from './route.ts';
export * from './schema.ts';
export { type AuditEntry, createServer, type ServerOptions } from './server.ts';
export { readDecimal, validate } from './validation.ts';
