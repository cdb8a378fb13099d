import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { EnvironmentName, ProcessRole, Settings } from '../settings.ts';

/** A demo merchant with its key, to be filled with believable data. */
export interface Demo {
  readonly merchantId: string;
  readonly merchantKey: string;
  /** The user who owns the merchant. */
  readonly ownerId: string;
  /** An externalId whose customer's open invoice grows with each event. */
  readonly sampleExternalId: string;
  /** Creates the data piece by piece, each under its label. @returns the result, as a sentence */
  fill(step: <T>(label: string, work: () => Promise<T>) => Promise<T>, signal: AbortSignal): Promise<string>;
}

/** The environment of a start; `openEnvironment` in app.ts creates it. */
export interface ServedEnvironment {
  readonly server: FastifyInstance;
  readonly migratedTo: string;
  /** The measurements of this process, as Prometheus reads them. */
  metrics(): Promise<string>;
  /** Does nothing without the role. */
  startWorker(): void;
  close(): Promise<void>;
  /** Opens a demo once; null when it is there already. */
  openDemo?(): Promise<Demo | null>;
  /** A link that signs the first person in at the console, once; null: somebody can sign in already. */
  firstSignInLink(demo: Demo | null): Promise<string | null>;
}

/** The master keys of an environment; `MasterKeys` in secrets. */
export interface MasterKeysOfStart {
  readonly key: string;
  readonly previous?: string | undefined;
  readonly lost?: readonly string[];
  readonly isAlone?: boolean;
  readonly keep?: (() => void) | undefined;
}

/** Where old events are archived; `ArchiveSettings` in app.ts. */
export interface ArchiveOfStart {
  readonly url: string;
  readonly keys: Settings['storeKeys'];
  readonly retentionDays: number | null;
}

interface EnvironmentRequest {
  readonly environment: EnvironmentName;
  /** Absent: all. */
  readonly roles?: readonly ProcessRole[];
  readonly databaseUrl: string;
  readonly ownerDatabaseUrl: string;
  readonly directDatabaseUrl?: string;
  readonly standby?: { readonly url: string; readonly maxAgeSeconds: number };
  readonly isDiskFull?: () => boolean;
  readonly clickhouseUrl?: string;
  readonly archive?: ArchiveOfStart | undefined;
  readonly mailServer?: { readonly url: string; readonly from: string };
  readonly stripeApiUrl?: string;
  /** The service that checks VAT numbers; absent or null: none. */
  readonly viesUrl?: string | null;
  /** Where traces and metrics are sent; absent: nowhere. */
  readonly telemetry?: Settings['telemetry'] & { readonly version: string };
  readonly publicUrl: string;
  readonly trustedProxies?: readonly string[];
  /** Does the program listen for this machine alone? */
  readonly isLocal?: boolean;
  readonly platformKey: string;
  readonly masterKey: MasterKeysOfStart;
  readonly logger: Logger;
}

/** A violated invariant. */
export interface BrokenInvariant {
  readonly name: string;
  readonly meaning: string;
  readonly count: number;
  readonly examples: readonly { readonly merchantId: string; readonly id: string; readonly detail: string }[];
}

/** An invoice that comes out otherwise from the events. */
export interface DifferingInvoice {
  readonly merchantId: string;
  readonly invoiceId: string;
  readonly differences: readonly string[];
}

/** The result of a rotation of a master key. */
export interface RotationReport {
  readonly resealed: number;
  readonly unopened: readonly { readonly merchantId: string; readonly id: string; readonly where: string }[];
  readonly stillNeeded: readonly string[];
}

/** A user with an e-mail address, in its organization. */
export interface UserOfEmail {
  readonly id: string;
  readonly organizationName: string;
  readonly role: string;
}

/** A life that began, and the last numbers of each merchant, of which each may be behind. */
export interface BegunLife {
  readonly life: { readonly number: number; readonly restoredTo: string };
  readonly counters: readonly {
    readonly merchantId: string;
    readonly name: string;
    readonly invoice: bigint;
    readonly creditNote: bigint;
  }[];
}

/** The number that the next document of a merchant gets at least. */
export interface NextNumber {
  readonly merchantId: string;
  readonly counter: 'invoice' | 'credit_note';
  readonly number: bigint;
}

/** The parts of the program that the commands are wired to. */
export interface Program {
  openEnvironment(request: EnvironmentRequest): Promise<ServedEnvironment>;
  generateApiKey(environment: EnvironmentName): string;
  migrate(databaseUrl: string): Promise<{ applied: string[]; current: string }>;
  /** In how many seconds a standby has what its primary committed; null: not within 5 s. */
  secondsBehind(primaryUrl: string, standbyUrl: string): Promise<number | null>;
  /** Throws where this version must not work on the database. */
  checkVersion(databaseUrl: string): Promise<{ isNewer: boolean }>;
  rebuildUsageProjection(databaseUrl: string): Promise<void>;
  /** Says how many were something else. */
  rebuildSums(databaseUrl: string): Promise<{ facts: number; sums: number; counts: number }>;
  /** Begins another life of a database after a restore, and moves the numbers of some merchants on. */
  beginLife(ownerUrl: string, nextNumbers: readonly NextNumber[]): Promise<BegunLife>;
  /** From now on documents may have the days of this machine's clock. @returns how many counters were ahead of it */
  acceptClock(ownerUrl: string): Promise<number>;
  auditDatabase(
    databaseUrl: string,
    archive?: ArchiveOfStart,
  ): Promise<{ checked: number; violations: readonly BrokenInvariant[] }>;
  /** @param from the keys of the existing secrets */
  rotateDatabase(databaseUrl: string, to: string, from: readonly string[]): Promise<RotationReport>;
  /** Signs a user in at the console, once; or the users, if they are not exactly one. */
  makeSignInLink(
    databaseUrl: string,
    user: { readonly email: string; readonly userId?: string | undefined },
    publicUrl: string,
  ): Promise<{ readonly url: string } | { readonly users: readonly UserOfEmail[] }>;
  recomputeDatabase(
    databaseUrl: string,
    scope?: undefined,
    archive?: ArchiveOfStart,
  ): Promise<{ checked: number; differing: readonly DifferingInvoice[] }>;
}

/** Loading the parts takes a moment, in which a database can start; a command that needs none never loads them. */
export type LoadProgram = () => Promise<Program>;
