/** All that other domains may use of external references. */
export { referenceErrors } from './errors.ts';
export { entitiesReferenced } from './references.sql.ts';
export { deleteReferencesOf, findDefaultReferences, type ReferenceReply, referencesOf } from './references.ts';
export { referenceRoutes } from './routes.ts';
export { type EntityType, ExternalReferenceReply, Provider } from './schema.ts';
