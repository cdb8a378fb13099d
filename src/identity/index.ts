export { recordAudit } from './audit.ts';
export { Authenticator } from './authentication.ts';
export { type EnvironmentName, generateApiKey } from './keys.ts';
export { ensurePlatform } from './platform.ts';
