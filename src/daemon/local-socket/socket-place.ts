import { createHash } from 'node:crypto';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';

/** The socket's name in the data folder. */
export const socketName = 'control.sock';

/** The longest path of a socket, in bytes: `sun_path` has 108 on Linux and 104 on macOS and the BSDs, with a zero behind it. */
const longest = { linux: 107, other: 103 } as const;

/** An address for `listen` or `connect`. */
export interface SocketAddress {
  readonly path: string;
  /** Call it once the address has been used. */
  readonly release: () => void;
}

/**
 * The address of a socket in a folder. Where the path is too long for one, the system is given the folder as an open file:
 * `/proc/self/fd/9/control.sock`. Undefined where there is no such way. On Windows it is a pipe, named after the folder.
 */
export function socketAddress(
  folder: string,
  name: string,
  platform: string = process.platform,
): SocketAddress | undefined {
  if (platform === 'win32') return { path: pipeOf(folder), release: () => {} };
  const path = join(folder, name);
  if (Buffer.byteLength(path) <= (platform === 'linux' ? longest.linux : longest.other))
    return { path, release: () => {} };
  if (platform !== 'linux') return undefined;
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: `/proc/self/fd/${descriptor}/${name}`, release: () => closeSync(descriptor) };
}

function pipeOf(folder: string): string {
  const digest = createHash('sha256').update(folder.toLowerCase()).digest('hex').slice(0, 32);
  return `\\\\.\\pipe\\keyturn-${digest}`;
}
