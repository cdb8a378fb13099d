/** All that others may use of the secrets at rest. */
export { sealedCheck } from './audit.ts';
export { admitMasterKeys, type MasterKeys, missingKeyChore } from './master-keys.ts';
export { type Rotation, rotateMasterKey, type UnopenedSecret } from './rotate.ts';
