import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { createAtomically } from './atomic-write.ts';
import type { Directory } from './directory.ts';
import type { Place } from './walk.ts';
import { errorCode, quotePath, WorkspaceError } from './workspace-error.ts';

/**
 * Adds a file that only its owner can read, and nobody can execute. Nothing is overwritten: where something else stands
 * under the name, it gets a number. A file with the same content is taken for it. Resolves with the name that it has.
 */
export async function addFile({ directory, name: wanted }: Place, bytes: Uint8Array): Promise<string> {
  for (let number = 1; number <= mostNumbers; number += 1) {
    const name = numbered(wanted, number);
    const found = await look(directory, name, bytes);
    if (found === 'same') return name;
    if (found === 'free' && (await createAtomically({ directory, name }, bytes, 0o600))) return name;
  }
  throw new WorkspaceError(`There are too many files named like ${quotePath(wanted)}. Move some of them away.`);
}

const mostNumbers = 100;

/** `report.pdf` is `report-2.pdf` then. */
function numbered(name: string, number: number): string {
  if (number === 1) return name;
  const dot = name.lastIndexOf('.');
  const end = dot <= 0 ? name.length : dot;
  return `${name.slice(0, end)}-${number}${name.slice(end)}`;
}

async function look(directory: Directory, name: string, bytes: Uint8Array): Promise<'free' | 'same' | 'taken'> {
  const opened = await openRegular(directory, name);
  if (opened === 'free' || opened === 'taken') return opened;
  try {
    const { size, nlink } = await opened.stat();
    // One with another name is not read by any tool. A death in the middle of adding it leaves such a file.
    if (size !== bytes.length || nlink > 1) return 'taken';
    return (await opened.readFile()).equals(bytes) ? 'same' : 'taken';
  } finally {
    await opened.close();
  }
}

async function openRegular(
  directory: Directory,
  name: string,
): Promise<Awaited<ReturnType<typeof open>> | 'free' | 'taken'> {
  try {
    // Not blocking: a pipe would hold the open until somebody writes to it.
    const file = await open(directory.at(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    return 'taken';
  } catch (cause) {
    const code = errorCode(cause);
    if (code === 'ENOENT') return 'free';
    // A link, a socket, or what may not be read.
    if (code === 'ELOOP' || code === 'ENXIO' || code === 'EACCES' || code === 'EPERM') return 'taken';
    throw cause;
  }
}
