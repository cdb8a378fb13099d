/** One entry of npm's lock, as far as it is compared. */
export interface LockedPackage {
  version?: string;
  integrity?: string;
  link?: boolean;
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
  os?: string | string[];
  cpu?: string | string[];
  libc?: string | string[];
}

export function firstDifference(comparison: {
  lock: { packages: Record<string, LockedPackage> };
  tree: { packages: Record<string, LockedPackage> } | null;
  folderExists: (location: string) => boolean;
  platform: { os: string; cpu: string; libc: string };
  mayLackDev: boolean;
  knownComplete: boolean;
}): string | null;

export function explainInstallFailure(output: string, home: string): { cause: string; fix: string };

export function isUnread(location: string, folder: string): boolean;

export function planInstallation(situation: { isTest: boolean; lacksOnlyDev: boolean; treeHasDev: boolean }): string[];
