export { CONNECT_MILLISECONDS, connectTo, Hosts, NoPrimary, poolClient } from './hosts.ts';
export { findPooler, losesSession, NO_POOLER, type Pooler, STRICT_POOLER } from './pooler.ts';
