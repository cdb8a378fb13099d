/** The types of the SDK: a field that changes on the server changes here, and what reads it does not compile. */
export type { Operations } from '../../../sdk/src/generated/resources.ts';
export type * from '../../../sdk/src/generated/types.ts';
