export { checkFigures, MOST_FIGURES } from './answer-size.ts';
export { prefers } from './answers/accepts.ts';
export { compressed, type Encoding, encodingFor, tagOf } from './answers/encoding.ts';
export { inlineFile } from './answers/file-name.ts';
export { JsonParts, readJsonBody, readJsonParts, readText } from './body.ts';
export { type BodyKey, bodyKey, findCreated, keyColumns } from './body-key.ts';
export { type Authentication, type Caller, hasRole, type Role } from './caller.ts';
export {
  type AuditEntry,
  bearerToken,
  type ConsoleDoor,
  JSON_SUFFIX,
  JSON_SUFFIX_TYPE,
  type RequestReport,
  type RequestTracer,
  type ServerOptions,
} from './edge.ts';
export type { ErrorReply } from './errors.ts';
export { type HealthOptions, healthRoutes } from './health.ts';
export { canonicalJson, fingerprint, forgetIdempotencyKeys } from './idempotency.ts';
export { type MetricReading, Metrics, type MetricsOptions, type StepMeasure } from './metrics/metrics.ts';
export { AskOutside } from './outside.ts';
export {
  type Access,
  type Arrival,
  type Context,
  createdReply,
  type FreeContext,
  Intended,
  type Intent,
  type Outcome,
  type Place,
  type RawBody,
  Reply,
  type Route,
  routesOf,
} from './route.ts';
export * from './schema.ts';
export { createServer } from './server.ts';
export { AddressRate } from './sharing/address-rate.ts';
export { PagePlaces } from './sharing/page-places.ts';
export { type Bucket, type RateLimit, RateLimiter, type RateLimits, takeToken } from './sharing/rate-limit.ts';
export { type SlotLimits, Slots } from './sharing/slots.ts';
export { eachInTurns, inTurns, sortedInTurns, turn } from './turns.ts';
export { validate } from './validation.ts';
export { decimalProblem, isStorable, readDecimal, UNSTORABLE_TEXT } from './values.ts';
