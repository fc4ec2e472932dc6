import type { PluginManifest } from './plugin-manifest.ts';

/** A plugin exactly as it stood in its folder. */
export interface FoundPlugin {
  /** An absolute path without links. */
  readonly folder: string;
  readonly manifest: PluginManifest;
  /** Of the folder with all that is in it. */
  readonly fingerprint: string;
  readonly fileCount: number;
}

/** Whether it is run by Keyturn's own Node. */
export function isScript(path: string): boolean {
  return /\.[cm]?[jt]s$/.test(path);
}
