import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { unless } from '../../guard/workspace/workspace-error.ts';
import { type FingerprintedFolder, FolderError, fingerprintFolder } from '../folder-fingerprint.ts';
import { type FoundPlugin, isScript } from './found-plugin.ts';
import { manifestName, type PluginManifest, readManifest } from './plugin-manifest.ts';

export type PluginReading =
  | { readonly type: 'found'; readonly plugin: FoundPlugin }
  /** What is wrong with it, a line each: where, and what to do about it. */
  | { readonly type: 'faulty'; readonly faults: readonly string[] }
  /** The folder is no plugin. */
  | { readonly type: 'none' };

/** Tells whether nothing may be loaded from a path without links. */
export type IsForbidden = (path: string) => Promise<boolean>;

/** Reads a folder that may be a plugin. */
export async function readPlugin(path: string, isForbidden: IsForbidden): Promise<PluginReading> {
  const folder = await unless(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'], realpath(path));
  if (folder === undefined) return { type: 'none' };
  if ((await unless(['ENOENT', 'ENOTDIR'], realpath(join(folder, manifestName)))) === undefined)
    return { type: 'none' };
  if (await isForbidden(folder)) {
    const why =
      'a plugin must not lie in a workspace or the data folder, nor one of these in a plugin, since tools can write there: move it';
    return { type: 'faulty', faults: [`${folder}: ${why}`] };
  }
  try {
    return await readManifestOf(folder, await fingerprintFolder(folder, { keep: manifestName }));
  } catch (cause) {
    if (cause instanceof FolderError) return { type: 'faulty', faults: [`${folder} ${cause.message}`] };
    throw cause;
  }
}

async function readManifestOf(folder: string, read: FingerprintedFolder): Promise<PluginReading> {
  const file = join(folder, manifestName);
  if (read.content === undefined) return { type: 'faulty', faults: [`${file}: it has to be a file`] };
  const reading = readManifest(read.content);
  const faults = reading.valid ? await laterFaults(reading.manifest, read) : reading.faults;
  if (!reading.valid || faults.length > 0) {
    return { type: 'faulty', faults: faults.map((fault) => `${file}: ${fault}`) };
  }
  const { fingerprint, files } = read;
  return { type: 'found', plugin: { folder, manifest: reading.manifest, fingerprint, fileCount: files.size } };
}

async function laterFaults(manifest: PluginManifest, read: FingerprintedFolder): Promise<readonly string[]> {
  if (manifest.execution === 'binary') return binaryFaults(manifest, read);
  // What reads commands is not loaded for those who have none.
  const { commandFaults } = await import('./command-faults.ts');
  return commandFaults(manifest);
}

/** What the manifest says of the program has to hold for the file that is there. */
function binaryFaults({ binary }: PluginManifest, { files }: FingerprintedFolder): readonly string[] {
  if (binary === undefined) return [];
  const path = binary.path.replace(/^(\.\/)+/, '');
  const file = files.get(path);
  if (file === undefined) return [`binary.path: there is no file "${path}" in the folder`];
  if (!isScript(path) && !file.isExecutable) {
    return [`binary.path: "${path}" is not executable: run chmod +x on it`];
  }
  if (binary.sha256 !== undefined && binary.sha256.toLowerCase() !== file.sha256) {
    return [`binary.sha256: "${path}" is another file: its SHA-256 is ${file.sha256}`];
  }
  return [];
}
